import type { MatrixView } from "../api/queries";
import type { OperatorsSearch } from "../routes/operators";
import { best, type Candidate, candidate } from "./sought";

export type MatrixOperator = MatrixView["operators"][number];
export type MatrixCell = MatrixView["cells"][number];
export type MatrixKey = MatrixView["keys"][number];

/** The code point that stands for the first cell. */
const FIRST = 48;
const MISSING: MatrixCell = { reason: "missing", standing: "fails", alias: null, derivable: true };

/** The place in `cells` of what a row has at a column; `NaN` beyond its end. */
export const cellOf = (row: string, column: number): number => row.charCodeAt(column) - FIRST;

/** The place in `cells` of what an operator has at a column. */
export function cellIndex(view: MatrixView, operator: MatrixOperator, column: number): number {
	return cellOf(view.rows[operator.row] ?? "", column);
}

/** What an operator has at a column. */
export function cellAt(view: MatrixView, operator: MatrixOperator, column: number): MatrixCell {
	return view.cells[cellIndex(view, operator, column)] ?? MISSING;
}

/** The column of a key; -1 where the release has no such key. */
export function columnOf(view: MatrixView, key: string): number {
	return view.keys.findIndex((item) => item.key === key);
}

type Filters = Omit<OperatorsSearch, "q">;

/** The operators that pass all filters but the words, in their order. */
export function filtered(view: MatrixView, filters: Filters): MatrixOperator[] {
	const column = filters.key === undefined ? -1 : columnOf(view, filters.key);
	// A key that the release does not have has no operators.
	if (filters.key !== undefined && column < 0) return [];
	const reason = filters.reason ?? "kernel";
	const fits = view.cells.map((cell) => cell.reason === reason);
	return view.operators.filter(
		(operator) =>
			(filters.namespace === undefined || operator.namespace === filters.namespace) &&
			(filters.kind === undefined || operator.kind === filters.kind) &&
			(filters.tag === undefined || operator.tags.includes(filters.tag)) &&
			(filters.structured === undefined || operator.structured === filters.structured) &&
			(filters.generated !== "exclude" || !operator.generated) &&
			(filters.generated !== "only" || operator.generated) &&
			(filters.python_module === undefined || operator.python_module === filters.python_module) &&
			(column < 0 || fits[cellIndex(view, operator, column)] === true),
	);
}

/** Each operator as the search sees it, made once. */
const candidates = new WeakMap<MatrixOperator, Candidate>();

/** An operator as the search sees it. */
export function candidateOf(operator: MatrixOperator): Candidate {
	const known = candidates.get(operator);
	if (known) return known;
	const made = candidate(operator.name, operator.schema);
	candidates.set(operator, made);
	return made;
}

/** Operators whose name or schema holds every word; those with the best names first. */
export const sought = (operators: readonly MatrixOperator[], q: string | undefined) =>
	best(q ?? "", operators, candidateOf);

/** A value, and how many have it. */
export interface FacetValue {
	value: string;
	count: number;
}

/** How many operators have which value, most first; what is null counts nowhere. */
export function facet(
	operators: readonly MatrixOperator[],
	values: (operator: MatrixOperator) => readonly (string | null)[],
): FacetValue[] {
	const counts = new Map<string, number>();
	for (const operator of operators) {
		for (const value of values(operator)) {
			if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
		}
	}
	const facets = [...counts].map(([value, count]) => ({ value, count }));
	return facets.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
}
