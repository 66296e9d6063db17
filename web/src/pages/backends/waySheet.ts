import type { MatrixView } from "../../api/queries";
import { verdictFill } from "../../components/VerdictMark";
import { filtered, type MatrixOperator } from "../../lib/matrix";
import { stringify } from "../../lib/search";
import type { Look, Sheet } from "../../lib/sheet";
import { answerLook } from "../../lib/verdicts";
import { type Fate, fateAt, fatePlace, isAsked } from "../../lib/ways";
import { revisionPath } from "../../nav";

/** What stands where a way does not apply to an operator. */
const NOTHING: Look = {
	glyph: "",
	className: "",
	name: "does not apply",
	word: "does not apply",
	quiet: true,
};

/** The ways as columns. */
export function waySheet(view: MatrixView): Sheet {
	const { ways, legend } = view.ways;
	const fate = (operator: MatrixOperator, column: number) => fateAt(view, operator, column);
	const works = (operator: MatrixOperator, column: number) =>
		fate(operator, column)?.works === "yes";
	const all = ways.map((_, at) => at);
	return {
		names: ways.map(({ way }) => way),
		titles: ways.map(({ title }) => title),
		noun: "ways",
		path: (place, column) =>
			`${revisionPath(place, "/backends")}${stringify({ show: "ways", way: ways[column]?.way })}`,
		wanted: () => all,
		isUnknown: () => false,
		hasVerdicts: () => false,
		filtered: (search) => {
			const asked = isAsked(view, search);
			const operators = filtered(view, { ...search, key: undefined, reason: undefined });
			return asked ? operators.filter(asked) : operators;
		},
		looks: [...legend.map(look), NOTHING],
		at: (operator, column) => {
			const at = fatePlace(view, operator, column);
			return at in legend ? at : legend.length;
		},
		pattern: (operator) => operator.ways,
		served: (columns) => (operator) => columns.filter((column) => works(operator, column)).length,
		shares: (operators, columns) =>
			columns.map((column) => {
				const applying = operators.filter((operator) => fate(operator, column)?.works != null);
				const working = applying.filter((operator) => works(operator, column));
				return { works: working.length, total: applying.length };
			}),
	};
}

function look({ fate, works, missing }: Fate): Look {
	const said = { name: fate, word: fate };
	if (works == null) return { ...said, glyph: "–", className: "", quiet: true };
	const { name, glyph } = answerLook(works, missing);
	return { ...said, glyph, className: verdictFill(name), quiet: works === "unknown" };
}
