import styles from "./MatrixGrid.module.css";

/**
 * How many cells of a row come and go together, as the style sheet has it. A browser lays out and
 * paints blocks apart from one another, so sideways only those at the edge cost anything.
 */
export const BLOCK = 8;

/** A cell. */
export interface CellNode {
	node: HTMLElement;
	text: Text;
	/** Its place in `cells` of the view. */
	look: number;
}

/** Neighbouring cells of a row. */
export interface BlockNode {
	node: HTMLElement;
	/** In the order of their columns. */
	cells: readonly CellNode[];
	/** Its place among the blocks of a row. */
	at: number;
}

/** A row. */
export interface RowNode {
	node: HTMLElement;
	name: HTMLElement;
	link: HTMLAnchorElement;
	count: HTMLElement;
	/** What holds the blocks. */
	holder: HTMLElement;
	/** By their places. */
	blocks: Map<number, BlockNode>;
	index: number;
	/** The place of its cells among the rows of the view. */
	pattern: number;
	/** Its cell that takes the focus, and the one that is explained, where they are in it. */
	active: CellNode | undefined;
	chosen: CellNode | undefined;
	/** The blocks that it has. */
	seen: readonly number[];
	/** Whether all that it says has to be said again. */
	isStale: boolean;
}

/** A row without blocks, not yet in the document. */
export function newRow(): RowNode {
	const node = element("div", styles.row, { role: "row" });
	const name = element("div", styles.name, { role: "rowheader", "aria-colindex": "1" });
	const link = element("a", "", { tabindex: "-1" });
	const count = element("small", "", {});
	const holder = element("div", styles.blocks, { role: "none" });
	name.append(link, count);
	node.append(name, holder);
	return {
		node,
		name,
		link,
		count,
		holder,
		blocks: new Map(),
		active: undefined,
		chosen: undefined,
		index: -1,
		pattern: -1,
		seen: [],
		isStale: true,
	};
}

/** The block of a column. */
export const blockOf = (column: number) => Math.floor(column / BLOCK);

/** The cell of a column, where it is in the document. */
export function cellOf(row: RowNode, column: number): CellNode | undefined {
	return row.blocks.get(blockOf(column))?.cells[column % BLOCK];
}

/** Puts children in their order. What has the focus would lose it if it moved, so it stays. */
export function putInOrder(
	parent: HTMLElement,
	places: readonly { node: HTMLElement; at: number }[],
	kept: number | undefined,
): void {
	if (places.every(({ node }, nth) => parent.children[nth] === node)) return;
	const fixed = places.find(({ at }) => at === kept);
	for (const { node, at } of places) {
		if (node === fixed?.node) continue;
		parent.insertBefore(node, fixed && at < fixed.at ? fixed.node : null);
	}
}

/** A block of empty cells. */
export function newBlock(): BlockNode {
	const node = element("div", styles.block, { role: "none" });
	const cells = Array.from({ length: BLOCK }, newCell);
	node.append(...cells.map((cell) => cell.node));
	return { node, cells, at: -1 };
}

function newCell(): CellNode {
	const node = element("div", "", { role: "gridcell", tabindex: "-1", "aria-expanded": "false" });
	const text = document.createTextNode("");
	node.append(text);
	return { node, text, look: -1 };
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
