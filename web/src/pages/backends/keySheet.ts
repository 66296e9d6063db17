import type { MatrixView } from "../../api/queries";
import { reasonClass } from "../../components/ReasonMark";
import { verdictFill } from "../../components/VerdictMark";
import { served, tallies, total } from "../../lib/coverage";
import { filtered } from "../../lib/matrix";
import { Looks, looksOf } from "../../lib/matrixLooks";
import { reasonOf } from "../../lib/reasons";
import type { Look, Sheet } from "../../lib/sheet";
import { verdictAt, verdictOf } from "../../lib/verdicts";
import { keyPath } from "../../nav";

/** What stays quiet in the overview. */
const QUIET = new Set(["missing", "backend fallback", "unknown"]);

const UNKNOWN = verdictOf("unknown");

/** The keys as columns. */
export function keySheet(view: MatrixView): Sheet {
	const names = view.keys.map(({ key }) => key);
	const looks = new Looks(view);
	const { keys, rows } = view.verdicts;
	const places = names.map((name) => keys.indexOf(name));
	const unknown = places.map((at) => at >= 0 && rows.every((row) => verdictAt(row[at]) === UNKNOWN));
	return {
		names,
		titles: names,
		noun: "keys",
		path: (place, column) => keyPath(place, names[column] ?? ""),
		wanted: ({ columns = "Dense" }) =>
			view.keys.flatMap(({ functionality }, at) =>
				columns === "all" || functionality === columns ? [at] : [],
			),
		isUnknown: (column) => unknown[column] === true,
		hasVerdicts: (column) => (places[column] ?? -1) >= 0,
		filtered: (search) => filtered(view, search),
		looks: looksOf(view, look),
		at: (operator, column) => looks.at(operator, column),
		pattern: ({ row }) => row,
		served: (columns) => served(view, columns),
		shares: (operators, columns) =>
			tallies(view, operators, columns).map((counts) => ({
				works: counts.direct + counts.inherited,
				total: total(counts),
			})),
	};
}

function look(cell: MatrixView["cells"][number], verdict: string | undefined): Look {
	const { glyph, name } = reasonOf(cell.reason);
	const by = cell.alias === null ? name : `${name}, by ${cell.alias}`;
	const quiet = QUIET.has(verdict ?? cell.reason);
	if (verdict === undefined) {
		return { glyph, className: reasonClass(cell.reason), name: by, word: cell.reason, quiet };
	}
	const looks = { glyph: verdictOf(verdict).glyph, className: verdictFill(verdict) };
	return { ...looks, name: `${verdict}; ${by}`, word: verdict, quiet };
}
