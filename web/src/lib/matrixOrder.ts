import type { MatrixView } from "../api/queries";
import type { BackendsSearch } from "../routes/backends";
import { type MatrixOperator, sought } from "./matrix";
import type { Sheet } from "./sheet";

/** The columns that are shown, and those of them or beside them about which nothing is known. */
export interface Columns {
	columns: number[];
	unknown: number[];
}

/**
 * The places of the columns that are asked for, in the order asked for. Those about which nothing is
 * known are left out, unless they are asked for too or there are no others; then they come last.
 */
export function columnsOf(view: MatrixView, sheet: Sheet, search: BackendsSearch): Columns {
	const wanted = sheet.wanted(search);
	const unknown = search.columns === "all" ? [] : wanted.filter(sheet.isUnknown);
	if (unknown.length === wanted.length) return { columns: ordered(view, sheet, search), unknown: [] };
	const rest = new Set(unknown);
	const known = ordered(view, sheet, search).filter((column) => !rest.has(column));
	return { columns: search.unknown === "show" ? [...known, ...unknown] : known, unknown };
}

function ordered(view: MatrixView, sheet: Sheet, search: BackendsSearch): number[] {
	const columns = [...sheet.wanted(search)];
	if (search.order !== "most" && search.order !== "least") return columns;
	const shares = sheet.shares(view.operators, columns);
	const works = new Map(columns.map((column, at) => [column, shares[at]?.works ?? 0]));
	const sign = search.order === "most" ? -1 : 1;
	return columns.sort((a, b) => sign * ((works.get(a) ?? 0) - (works.get(b) ?? 0)));
}

/** The operators that are asked for, in the order asked for. */
export function rowsOf(
	sheet: Sheet,
	search: BackendsSearch,
	columns: readonly number[],
): MatrixOperator[] {
	const operators = sought(sheet.filtered(search), search.q);
	switch (search.rows) {
		case "name":
			return operators.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
		case "most":
		case "least": {
			const counts = sheet.served(columns);
			const sign = search.rows === "most" ? -1 : 1;
			return operators.sort((a, b) => sign * (counts(a) - counts(b)));
		}
		default:
			return operators;
	}
}
