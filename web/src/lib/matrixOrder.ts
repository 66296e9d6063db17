import type { MatrixView } from "../api/queries";
import type { BackendsSearch } from "../routes/backends";
import { served, tallies } from "./coverage";
import { filtered, type MatrixOperator, sought } from "./matrix";

/** The places of the columns that are asked for, in the order asked for. */
export function columnsOf(view: MatrixView, search: BackendsSearch): number[] {
	const wanted = search.columns ?? "Dense";
	const columns = view.keys.flatMap(({ functionality }, at) =>
		wanted === "all" || functionality === wanted ? [at] : [],
	);
	if (search.order !== "most" && search.order !== "least") return columns;
	const counts = tallies(view, view.operators, columns);
	const works = new Map(
		columns.map((column, at) => [column, (counts[at]?.direct ?? 0) + (counts[at]?.inherited ?? 0)]),
	);
	const sign = search.order === "most" ? -1 : 1;
	return columns.sort((a, b) => sign * ((works.get(a) ?? 0) - (works.get(b) ?? 0)));
}

/** The operators that are asked for, in the order asked for. */
export function rowsOf(
	view: MatrixView,
	search: BackendsSearch,
	columns: readonly number[],
): MatrixOperator[] {
	const operators = sought(filtered(view, search), search.q);
	switch (search.rows) {
		case "name":
			return operators.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
		case "most":
		case "least": {
			const counts = served(view, columns);
			const sign = search.rows === "most" ? -1 : 1;
			return operators.sort((a, b) => sign * (counts(a) - counts(b)));
		}
		default:
			return operators;
	}
}
