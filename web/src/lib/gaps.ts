import type { components } from "../api/schema";

type Gap = components["schemas"]["GapView"];

/** What of a gap list is shown. */
export interface GapFilter {
	only?: "lacking" | "inherited" | undefined;
	tag?: "core" | undefined;
	added?: "new" | undefined;
	q?: string | undefined;
}

/** A gap with its rank in the whole list, counted from one. */
export interface Ranked {
	rank: number;
	gap: Gap;
}

/** The gaps that pass the filters, with the ranks that they have in the whole list. */
export function ranked(gaps: readonly Gap[], { only, tag, added, q }: GapFilter): Ranked[] {
	const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const passes = (gap: Gap) =>
		(only === undefined || gap.lacking === (only === "lacking")) &&
		(tag === undefined || gap.core) &&
		(added === undefined || gap.new === true) &&
		words.every((word) => gap.operator.toLowerCase().includes(word));
	return gaps.map((gap, at) => ({ rank: at + 1, gap })).filter(({ gap }) => passes(gap));
}
