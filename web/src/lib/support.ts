import type { components } from "../api/schema";
import { placeTitle, rangeTitle, type TimelinePlace } from "./history";

type SupportCell = components["schemas"]["SupportView"]["operators"][number]["cells"][number];

/** What a cell of a support table comes to, in words. */
export function supportWords(cell: SupportCell): string {
	const { verdict, first, last, ranges } = cell;
	const worked = first && last ? `worked ${within(first, last)}` : undefined;
	const end = ranges.at(-1);
	if (!end) return "not there";
	// Without a verdict, the last revision does not have the operator.
	if (!verdict) return worked ? `removed; ${worked}` : `removed after ${placeTitle(end.to)}`;
	if (end.works === "yes") return `${verdict} since ${workingSince(cell)}`;
	return worked ? `${verdict}; ${worked}` : verdict;
}

/** Since when it has worked without a break; `or earlier` where nobody knows how it was before. */
function workingSince({ ranges, first, first_at_latest }: SupportCell): string {
	const broken = ranges.findLastIndex(({ works }) => works !== "yes");
	const from = ranges[broken + 1]?.from ?? first;
	if (!from) return "";
	const isFirst = first?.revision === from.revision && first.label === from.label;
	const isOpen = ranges[broken]?.works === "unknown" || (isFirst && first_at_latest);
	return isOpen ? `${placeTitle(from)} or earlier` : placeTitle(from);
}

/** `only in 2.12.1`, or `from 2.12.1 to 2.13.0` */
function within(from: TimelinePlace, to: TimelinePlace): string {
	const [first, last] = [placeTitle(from), placeTitle(to)];
	return first === last ? `only in ${first}` : `from ${first} to ${last}`;
}

/** A part of a timeline as one says it, where `end` is its last revision. */
export function spanTitle(from: TimelinePlace, to: TimelinePlace, end: TimelinePlace): string {
	const isLast = to.revision === end.revision && to.label === end.label;
	return isLast ? `since ${placeTitle(from)}` : rangeTitle(from, to);
}

/** The last name of a list as far as it is typed, and what stands before it. */
export function begun(text: string): { before: string; name: string } {
	const name = /[^\s,]*$/.exec(text)?.[0] ?? "";
	return { before: text.slice(0, text.length - name.length), name };
}

/** Names that a comma list, or a text over several lines, holds; each once. */
export function names(text: string | undefined): string[] {
	const found = (text ?? "").split(/[\s,]+/).filter((name) => name !== "");
	return [...new Set(found)];
}
