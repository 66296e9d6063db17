import type { MatrixView, Place } from "../../api/queries";
import { reasonClass } from "../../components/ReasonMark";
import { cellIndex, type MatrixOperator } from "../../lib/matrix";
import { reasonOf } from "../../lib/reasons";
import { operatorPath } from "../../nav";
import type { Cell } from "./gridKeys";
import styles from "./MatrixGrid.module.css";

/** How high a row is, as the style sheet has it. */
export const ROW = 24;
/** How many rows and columns beyond those that are seen are in the document. */
const OVERSCAN = 1;
/** How long after the last scrolling the rows are put in order, in milliseconds. */
const REST = 200;

/** What the body of the grid shows. */
export interface Content {
	view: MatrixView;
	operators: readonly MatrixOperator[];
	columns: readonly number[];
	/** How many of the columns serve each operator, by its row. */
	served: readonly number[];
	place: Place;
	/** How wide a column is, the names are and how high the heads are, in pixels. */
	step: number;
	names: number;
	high: number;
}

/** What a cell looks like and is called. */
interface Look {
	glyph: string;
	className: string;
	name: string;
}

interface CellNode {
	node: HTMLElement;
	text: Text;
	/** Its column's place in the grid. */
	at: number;
	/** Its place in `cells` of the view. */
	look: number;
}

interface RowNode {
	node: HTMLElement;
	name: HTMLElement;
	link: HTMLAnchorElement;
	count: HTMLElement;
	/** In the order of their columns. */
	cells: CellNode[];
	index: number;
	/** Its cell that takes the focus, and the one that is explained, where they are in it. */
	active: CellNode | undefined;
	chosen: CellNode | undefined;
	/** The columns that its cells are of. */
	seen: readonly number[];
	/** Whether all that it says has to be said again. */
	isStale: boolean;
}

/**
 * The rows and cells that are seen, made once and used again for others as one scrolls. It changes
 * the document by itself: thousands of cells are too many to be compared at every frame.
 */
export class GridBody {
	readonly #box: HTMLElement;
	readonly #body: HTMLElement;
	readonly #sizes: ResizeObserver;
	#content: Content | undefined;
	#looks: readonly Look[] = [];
	#keys: readonly string[] = [];
	#rows = new Map<number, RowNode>();
	#seen: readonly number[] = [];
	#size = { width: 0, height: 0 };
	#active: Cell = { row: 0, column: 0 };
	#chosen: string | undefined;
	#ordering: ReturnType<typeof setTimeout> | undefined;

	constructor(box: HTMLElement, body: HTMLElement) {
		this.#box = box;
		this.#body = body;
		this.#measure();
		this.#sizes = new ResizeObserver(() => {
			this.#measure();
			this.draw();
		});
		this.#sizes.observe(box);
		box.addEventListener("scroll", this.draw, { passive: true });
	}

	/** Lets go of the document. */
	end(): void {
		this.#sizes.disconnect();
		this.#box.removeEventListener("scroll", this.draw);
		clearTimeout(this.#ordering);
		this.#body.replaceChildren();
	}

	/** The cell that takes the focus. */
	get active(): Cell {
		return this.#active;
	}

	/** Shows something else; other operators are shown from the first. */
	show(content: Content): void {
		const old = this.#content;
		this.#content = content;
		const { view, operators, columns } = content;
		this.#looks = view.cells.map((cell): Look => {
			const { glyph, name } = reasonOf(cell.reason);
			const by = cell.alias === null ? name : `${name}, by ${cell.alias}`;
			return { glyph, className: `${styles.cell} ${reasonClass(cell.reason)}`, name: by };
		});
		this.#keys = columns.map((column) => view.keys[column]?.key ?? "");
		let { row, column } = this.#active;
		if (old && old.operators !== operators) {
			this.#box.scrollTop = 0;
			row = 0;
		}
		row = Math.max(0, Math.min(row, operators.length - 1));
		column = Math.max(0, Math.min(column, columns.length - 1));
		this.#active = { row, column };
		this.#seen = [];
		for (const row of this.#rows.values()) row.isStale = true;
		this.draw();
	}

	/** Marks the cell that is explained, as operator and key. */
	choose(chosen: string | undefined): void {
		this.#chosen = chosen;
		for (const row of this.#rows.values()) this.#mark(row);
	}

	/** Gives the focus to a cell, and scrolls to where it is. */
	activate(cell: Cell): void {
		const { step, names, high } = this.#content ?? { step: 0, names: 0, high: 0 };
		const { width, height } = this.#size;
		const box = this.#box;
		this.#active = cell;
		const top = nearest(box.scrollTop, cell.row * ROW, ROW, height - high);
		const left = nearest(box.scrollLeft, cell.column * step, step, width - names);
		if (top !== box.scrollTop || left !== box.scrollLeft) box.scrollTo({ top, left });
		this.draw();
		const row = this.#rows.get(cell.row);
		row?.cells.find(({ at }) => at === cell.column)?.node.focus({ preventScroll: true });
	}

	/** Puts into the document what is seen now. */
	readonly draw = (): void => {
		const content = this.#content;
		if (!content) return;
		const { operators, columns, step, names, high } = content;
		const { scrollTop, scrollLeft } = this.#box;
		const { width, height } = this.#size;
		const { row, column } = this.#active;
		// The active cell stays wherever one scrolls, so that it keeps the focus.
		const seen = range(scrollLeft, step, width - names, columns.length, column);
		if (seen.join() !== this.#seen.join()) this.#seen = seen;
		const wanted = range(scrollTop, ROW, height - high, operators.length, row);
		const stays = new Set(wanted);
		const free: RowNode[] = [];
		for (const [index, node] of this.#rows) {
			if (stays.has(index)) continue;
			this.#rows.delete(index);
			free.push(node);
		}
		for (const index of wanted) {
			let row = this.#rows.get(index);
			if (!row) {
				row = free.pop() ?? this.#make();
				this.#rows.set(index, row);
			}
			this.#fill(row, index, content);
		}
		for (const { node } of free) node.remove();
		clearTimeout(this.#ordering);
		this.#ordering = setTimeout(this.#order, REST);
	};

	#measure(): void {
		this.#size = { width: this.#box.clientWidth, height: this.#box.clientHeight };
	}

	#make(): RowNode {
		const node = element("div", styles.row, { role: "row" });
		const name = element("div", styles.name, { role: "rowheader", "aria-colindex": "1" });
		const link = element("a", "", { tabindex: "-1" });
		const count = element("small", "", {});
		name.append(link, count);
		node.append(name);
		this.#body.append(node);
		return {
			node,
			name,
			link,
			count,
			cells: [],
			active: undefined,
			chosen: undefined,
			index: -1,
			seen: [],
			isStale: true,
		};
	}

	#fill(row: RowNode, index: number, content: Content): void {
		const { view, operators, columns, served, place } = content;
		const operator = operators[index];
		if (!operator) return;
		const isOther = row.isStale || row.index !== index;
		const isMoved = row.seen !== this.#seen;
		if (!isOther && !isMoved) {
			this.#focusable(row);
			return;
		}
		if (isOther) {
			row.index = index;
			row.node.dataset.row = `${index}`;
			row.node.ariaRowIndex = `${index + 2}`;
			row.node.style.transform = `translateY(${index * ROW}px)`;
			row.name.title = operator.name;
			row.link.textContent = operator.name;
			row.link.href = operatorPath(place, operator.name);
			row.count.textContent = `${served[operator.row] ?? 0}/${columns.length}`;
		}
		if (isMoved) this.#shift(row, content.step);
		for (const cell of row.cells) {
			const look = cellIndex(view, operator, columns[cell.at] ?? 0);
			if (look === cell.look && !row.isStale) continue;
			const { glyph, className, name } = this.#looks[look] ?? { glyph: "", className: "", name: "" };
			cell.look = look;
			cell.text.data = glyph;
			cell.node.className = className;
			cell.node.ariaLabel = `${this.#keys[cell.at]}: ${name}`;
		}
		row.isStale = false;
		this.#focusable(row);
		this.#mark(row);
	}

	/** Gives a row cells of the columns that are seen; those that stay are not touched. */
	#shift(row: RowNode, step: number): void {
		const seen = this.#seen;
		const stays = new Set(seen);
		const old = new Map<number, CellNode>();
		const free: CellNode[] = [];
		for (const cell of row.cells) {
			if (stays.has(cell.at)) old.set(cell.at, cell);
			else {
				cell.node.remove();
				free.push(cell);
			}
		}
		let next = row.name.nextSibling;
		row.cells = seen.map((at, nth) => {
			let cell = old.get(at);
			if (cell) next = cell.node.nextSibling;
			else {
				cell = free.pop() ?? newCell();
				cell.at = at;
				cell.look = -1;
				cell.node.dataset.column = `${at}`;
				cell.node.ariaColIndex = `${at + 2}`;
				row.node.insertBefore(cell.node, next);
			}
			const gap = at - (nth === 0 ? 0 : (seen[nth - 1] ?? 0) + 1);
			const margin = gap > 0 ? `${gap * step}px` : "";
			if (cell.node.style.marginInlineStart !== margin) cell.node.style.marginInlineStart = margin;
			return cell;
		});
		row.seen = seen;
	}

	/** Lets the active cell alone be reached by the Tab key. */
	#focusable(row: RowNode): void {
		const { row: at, column } = this.#active;
		const cell = row.index === at ? row.cells.find((cell) => cell.at === column) : undefined;
		if (cell === row.active) return;
		if (row.active) row.active.node.tabIndex = -1;
		if (cell) cell.node.tabIndex = 0;
		row.active = cell;
	}

	#mark(row: RowNode): void {
		const name = this.#content?.operators[row.index]?.name ?? "";
		const cell = this.#chosen?.startsWith(`${name},`)
			? row.cells.find(({ at }) => `${name},${this.#keys[at]}` === this.#chosen)
			: undefined;
		if (cell === row.chosen) return;
		if (row.chosen) row.chosen.node.ariaExpanded = "false";
		if (cell) cell.node.ariaExpanded = "true";
		row.chosen = cell;
	}

	/** Puts the rows in their order, which those who read the document by ear follow. */
	readonly #order = (): void => {
		const rows = [...this.#rows.values()].sort((a, b) => a.index - b.index);
		const active = this.#rows.get(this.#active.row)?.node;
		if (rows.every(({ node }, at) => this.#body.children[at] === node)) return;
		// What has the focus would lose it if it were moved, so the others move around it.
		for (const { node, index } of rows) {
			if (node === active) continue;
			this.#body.insertBefore(node, index < this.#active.row && active ? active : null);
		}
	};
}

/** The indices that are seen from a place on, with some around them, and one that always is. */
function range(from: number, size: number, length: number, count: number, kept: number): number[] {
	const first = Math.max(0, Math.floor(from / size) - OVERSCAN);
	const last = Math.min(count - 1, Math.floor((from + Math.max(0, length)) / size) + OVERSCAN);
	const found = kept < first ? [kept] : [];
	for (let at = first; at <= last; at += 1) found.push(at);
	if (kept > last && kept < count) found.push(kept);
	return found;
}

/** Where to scroll so that something is seen, with the least movement. */
function nearest(now: number, start: number, size: number, length: number): number {
	return Math.min(start, Math.max(now, start + size - length));
}

function newCell(): CellNode {
	const node = element("div", "", { role: "gridcell", tabindex: "-1", "aria-expanded": "false" });
	const text = document.createTextNode("");
	node.append(text);
	return { node, text, at: -1, look: -1 };
}

function element<T extends keyof HTMLElementTagNameMap>(
	tag: T,
	className: string | undefined,
	attributes: Record<string, string>,
): HTMLElementTagNameMap[T] {
	const node = document.createElement(tag);
	node.className = className ?? "";
	for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
	return node;
}
