import type { MatrixView } from "../api/queries";
import { cellIndex, type MatrixOperator } from "./matrix";
import { VERDICTS } from "./verdicts";

/** How many looks a cell of the view has: without a verdict, and with each of them. */
const EACH = VERDICTS.length + 1;
const INDEX = new Map<string, number>(VERDICTS.map(({ letter }, at) => [letter, at + 1]));

/** How cells look: on the key of a backend by their verdict, elsewhere by their reason. */
export class Looks {
	readonly #view: MatrixView;
	/** The place of each column among the keys that have verdicts; -1 for others. */
	readonly #verdicts: readonly number[];

	constructor(view: MatrixView) {
		this.#view = view;
		this.#verdicts = view.keys.map(({ key }) => view.verdicts.keys.indexOf(key));
	}

	/** One number for all cells that look alike. */
	at(operator: MatrixOperator, column: number): number {
		const cell = cellIndex(this.#view, operator, column);
		const at = this.#verdicts[column] ?? -1;
		const letter = this.#view.verdicts.rows[operator.verdicts]?.[at];
		return cell * EACH + (at < 0 ? 0 : (INDEX.get(letter ?? "u") ?? 0));
	}
}

/** Something for every look that there is: `of` is told the cell and its verdict. */
export function looksOf<T>(
	view: MatrixView,
	of: (cell: MatrixView["cells"][number], verdict: string | undefined) => T,
): T[] {
	const names = [undefined, ...VERDICTS.map(({ name }) => name)];
	return view.cells.flatMap((cell) => names.map((name) => of(cell, name)));
}
