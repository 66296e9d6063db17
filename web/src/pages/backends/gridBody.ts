import type { Place } from "../../api/queries";
import type { MatrixOperator } from "../../lib/matrix";
import type { Look, Sheet } from "../../lib/sheet";
import { operatorPath } from "../../nav";
import type { Cell } from "./gridKeys";
import {
	BLOCK,
	type BlockNode,
	blockOf,
	cellOf,
	newBlock,
	newRow,
	putInOrder,
	type RowNode,
} from "./gridNodes";
import styles from "./MatrixGrid.module.css";

/** How high a row is, as the style sheet has it. */
export const ROW = 24;
/** How many rows beyond those that are seen are in the document. */
const OVERSCAN = 1;
/** How long after the last scrolling the rows are put in order, in milliseconds. */
const REST = 200;

/** What the body of the grid shows. */
export interface Content {
	sheet: Sheet;
	operators: readonly MatrixOperator[];
	columns: readonly number[];
	/** How many of the columns serve each operator, by its row. */
	served: (operator: MatrixOperator) => number;
	place: Place;
	/** How wide a column is, the names are and how high the heads are, in pixels. */
	step: number;
	names: number;
	high: number;
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
	#names: readonly string[] = [];
	#titles: readonly string[] = [];
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
		const { sheet, operators, columns } = content;
		this.#looks = sheet.looks.map((look) => ({
			...look,
			className: `${styles.cell} ${look.className}`,
		}));
		this.#names = columns.map((column) => sheet.names[column] ?? "");
		this.#titles = columns.map((column) => sheet.titles[column] ?? "");
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
		if (row) cellOf(row, cell.column)?.node.focus({ preventScroll: true });
	}

	/** Puts into the document what is seen now. */
	readonly draw = (): void => {
		const content = this.#content;
		if (!content) return;
		const { sheet, operators, columns, step, names, high } = content;
		const { scrollTop, scrollLeft } = this.#box;
		const { width, height } = this.#size;
		const { row, column } = this.#active;
		// The active cell stays wherever one scrolls, so that it keeps the focus.
		const blocks = Math.ceil(columns.length / BLOCK);
		const seen = range(scrollLeft, step * BLOCK, width - names, blocks, blockOf(column), 0);
		if (seen.join() !== this.#seen.join()) this.#seen = seen;
		const wanted = range(scrollTop, ROW, height - high, operators.length, row, OVERSCAN);
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
				// Of two rows with equal cells only the names have to be told apart.
				const operator = operators[index];
				const pattern = operator && sheet.pattern(operator);
				const alike = free.findIndex((row) => row.pattern === pattern);
				row = free.splice(alike, 1)[0] ?? newRow();
				if (!row.node.parentNode) this.#body.append(row.node);
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

	#fill(row: RowNode, index: number, content: Content): void {
		const { sheet, operators, columns, served, place } = content;
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
			row.pattern = sheet.pattern(operator);
			row.node.dataset.row = `${index}`;
			row.node.ariaRowIndex = `${index + 2}`;
			row.node.style.transform = `translateY(${index * ROW}px)`;
			row.name.title = operator.name;
			row.link.textContent = operator.name;
			row.link.href = operatorPath(place, operator.name);
			row.count.textContent = `${served(operator)}/${columns.length}`;
		}
		if (isMoved) this.#shift(row, content);
		for (const block of row.blocks.values()) {
			let at = block.at * BLOCK;
			for (const cell of block.cells) {
				const column = columns[at];
				if (column === undefined) break;
				const look = sheet.at(operator, column);
				if (look !== cell.look || row.isStale) {
					const old = row.isStale ? undefined : this.#looks[cell.look];
					const { glyph, className, name } = this.#looks[look] ?? NOTHING;
					cell.look = look;
					if (glyph !== old?.glyph) cell.text.data = glyph;
					if (className !== old?.className) cell.node.className = className;
					cell.node.ariaLabel = `${this.#titles[at]}: ${name}`;
				}
				at += 1;
			}
		}
		row.isStale = false;
		this.#focusable(row);
		this.#mark(row);
	}

	/** Gives a row the blocks that are seen; those that stay are not touched. */
	#shift(row: RowNode, { columns, step }: Content): void {
		const seen = this.#seen;
		const stays = new Set(seen);
		const free: BlockNode[] = [];
		for (const [at, block] of row.blocks) {
			if (stays.has(at)) continue;
			row.blocks.delete(at);
			free.push(block);
		}
		for (const at of seen) {
			const known = row.blocks.get(at);
			if (known && !row.isStale) continue;
			const block = known ?? free.pop() ?? newBlock();
			block.at = at;
			block.node.style.left = `${at * BLOCK * step}px`;
			block.cells.forEach((cell, nth) => {
				const column = at * BLOCK + nth;
				cell.look = -1;
				cell.node.hidden = column >= columns.length;
				if (cell.node.hidden) cell.node.ariaLabel = null;
				cell.node.dataset.column = `${column}`;
				cell.node.ariaColIndex = `${column + 2}`;
			});
			if (!block.node.parentNode) row.holder.append(block.node);
			row.blocks.set(at, block);
		}
		for (const { node } of free) node.remove();
		row.seen = seen;
	}

	/** Lets the active cell alone be reached by the Tab key. */
	#focusable(row: RowNode): void {
		const { row: at, column } = this.#active;
		const cell = row.index === at ? cellOf(row, column) : undefined;
		if (cell === row.active) return;
		if (row.active) row.active.node.tabIndex = -1;
		if (cell) cell.node.tabIndex = 0;
		row.active = cell;
	}

	#mark(row: RowNode): void {
		const name = `${this.#content?.operators[row.index]?.name ?? ""},`;
		const cell = this.#chosen?.startsWith(name)
			? cellOf(row, this.#names.indexOf(this.#chosen.slice(name.length)))
			: undefined;
		if (cell === row.chosen) return;
		if (row.chosen) row.chosen.node.ariaExpanded = "false";
		if (cell) cell.node.ariaExpanded = "true";
		row.chosen = cell;
	}

	/** Puts rows and blocks in their order, which those who read the document by ear follow. */
	readonly #order = (): void => {
		const { row, column } = this.#active;
		const rows = [...this.#rows.values()].sort((a, b) => a.index - b.index);
		const places = rows.map(({ node, index }) => ({ node, at: index }));
		putInOrder(this.#body, places, row);
		for (const { holder, blocks, index } of rows) {
			const places = [...blocks.values()].sort((a, b) => a.at - b.at);
			putInOrder(holder, places, index === row ? blockOf(column) : undefined);
		}
	};
}

const NOTHING: Look = { glyph: "", className: "", name: "", word: "", quiet: true };

/** The indices that are seen from a place on, with `more` around them, and one that always is. */
function range(
	from: number,
	size: number,
	length: number,
	count: number,
	kept: number,
	more: number,
): number[] {
	const first = Math.max(0, Math.floor(from / size) - more);
	const last = Math.min(count - 1, Math.floor((from + Math.max(0, length)) / size) + more);
	const found = kept < first ? [kept] : [];
	for (let at = first; at <= last; at += 1) found.push(at);
	if (kept > last && kept < count) found.push(kept);
	return found;
}

/** Where to scroll so that something is seen, with the least movement. */
function nearest(now: number, start: number, size: number, length: number): number {
	return Math.min(start, Math.max(now, start + size - length));
}
