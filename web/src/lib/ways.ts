import type { MatrixView } from "../api/queries";
import type { components } from "../api/schema";
import type { MatrixOperator } from "./matrix";

export type WayFate = components["schemas"]["WayFate"];
export type Fate = MatrixView["ways"]["legend"][number];

/** The code point that stands for the first fate. */
const FIRST = 48;

/** The place in the legend of an operator's fate; negative where the way does not apply to it. */
export const fatePlace = (view: MatrixView, operator: { ways: number }, column: number): number =>
	(view.ways.rows[operator.ways] ?? "").charCodeAt(column) - FIRST;

/** The fate of an operator on a way; undefined where the way does not apply to it. */
export const fateAt = (
	view: MatrixView,
	operator: { ways: number },
	column: number,
): Fate | undefined => view.ways.legend[fatePlace(view, operator, column)];

/** What of a way is asked for: one fate, or by default whatever is missing. */
export interface WaySearch {
	way?: string | undefined;
	fate?: string | undefined;
}

/** Whether an operator has what is asked for; undefined where nothing is. */
export function isAsked(
	view: MatrixView,
	{ way, fate }: WaySearch,
): ((operator: MatrixOperator) => boolean) | undefined {
	if (way === undefined) return undefined;
	const column = view.ways.ways.findIndex((known) => known.way === way);
	return (operator) => {
		const found = fateAt(view, operator, column);
		if (!found) return false;
		return fate === undefined ? found.missing : found.fate === fate;
	};
}

/** The fates that operators have on a way, in the order of the legend; one may work for some operators only. */
export function fatesOf(view: MatrixView, way: string): Fate["fate"][] {
	const column = view.ways.ways.findIndex((known) => known.way === way);
	const found = new Set(view.operators.map((operator) => fateAt(view, operator, column)));
	const fates = view.ways.legend.filter((fate) => found.has(fate)).map(({ fate }) => fate);
	return [...new Set(fates)];
}

/** Since when, or what else is known of where the fate comes from. */
export function sinceWords({
	since,
	known_from,
	release,
}: Pick<WayFate, "since" | "known_from" | "release">): string {
	if (since) return `since ${since}`;
	if (known_from === "entry") return "by the entry";
	return release ? `in ${release}` : "";
}
