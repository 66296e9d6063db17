import type { Place } from "../api/queries";
import type { BackendsSearch } from "../routes/backends";
import type { MatrixOperator } from "./matrix";

/** What cells that look alike have in common. */
export interface Look {
	glyph: string;
	/** The class that colours it. */
	className: string;
	name: string;
	/** What it says in a file. */
	word: string;
	/** Whether it stays quiet in the overview: what is not known, or has nothing to say. */
	quiet: boolean;
}

/** How many operators work at a column, of how many to which it applies. */
export interface Share {
	works: number;
	total: number;
}

/** A set of columns of the matrix: the keys, or the ways. */
export interface Sheet {
	/** What columns are called in addresses, and to people. */
	names: readonly string[];
	titles: readonly string[];
	/** How a column is called in general. */
	noun: string;
	/** Where the name of a column leads to. */
	path: (place: Place, column: number) => string;
	/** The columns that are asked for, in their order. */
	wanted: (search: BackendsSearch) => number[];
	/** Whether nothing is known at a column of any operator. */
	isUnknown: (column: number) => boolean;
	/** Whether the cells of a column are verdicts, and not reasons. */
	hasVerdicts: (column: number) => boolean;
	/** The operators whose cells are asked for. */
	filtered: (search: BackendsSearch) => MatrixOperator[];
	/** Everything that a cell may look like. */
	looks: readonly Look[];
	/** The place in `looks` of what an operator has at a column. */
	at: (operator: MatrixOperator, column: number) => number;
	/** The same number for operators whose cells are probably equal. */
	pattern: (operator: MatrixOperator) => number;
	/** At how many of the columns an operator works. */
	served: (columns: readonly number[]) => (operator: MatrixOperator) => number;
	shares: (operators: readonly MatrixOperator[], columns: readonly number[]) => Share[];
}
