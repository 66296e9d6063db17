import type { components } from "../api/schema";

export type Support = components["schemas"]["Support"];
export type BackendCoverage = components["schemas"]["BackendCoverage"];

/** The verdicts on an operator at a key: whether calls work, and how each is shown. */
export const VERDICTS = [
	{
		name: "runs",
		works: "yes",
		letter: "r",
		glyph: "●",
		short: "Runs",
		meaning: "A kernel of its own, or one that calls nothing else.",
	},
	{
		name: "decomposes",
		works: "yes",
		letter: "d",
		glyph: "◐",
		short: "Decomposes",
		meaning: "Everything that its default or composite kernel calls works.",
	},
	{
		name: "partly",
		works: "partly",
		letter: "p",
		glyph: "◔",
		short: "Partly",
		meaning: "Something that it calls in some cases does not work.",
	},
	{
		name: "falls-back",
		works: "yes",
		letter: "b",
		glyph: "○",
		short: "Falls back",
		meaning: "Only the fallback of the backend serves it.",
	},
	{
		name: "fails",
		works: "no",
		letter: "f",
		glyph: "✕",
		short: "Fails",
		meaning: "A call raises: nothing serves it, or something that it always calls fails.",
	},
	{
		name: "unknown",
		works: "unknown",
		letter: "u",
		glyph: "?",
		short: "Unknown",
		meaning: "Its calls were not measured, or the backend lives out of tree and none of its files is known.",
	},
] as const;

export type Verdict = (typeof VERDICTS)[number];

const BY_NAME = new Map<string, Verdict>(VERDICTS.map((verdict) => [verdict.name, verdict]));
const BY_LETTER = new Map<string, Verdict>(VERDICTS.map((verdict) => [verdict.letter, verdict]));
const UNKNOWN = VERDICTS[VERDICTS.length - 1] as Verdict;

/** How a verdict is shown; one that this page does not know is shown as unknown. */
export const verdictOf = (name: string): Verdict => BY_NAME.get(name) ?? UNKNOWN;

/** The verdict of a character of the matrix. */
export const verdictAt = (letter: string | undefined): Verdict =>
	BY_LETTER.get(letter ?? "") ?? UNKNOWN;

/** How many missing operators a line names. */
const NAMED = 3;

/** `fails: needs add.out`, `fails: no kernel`, `unknown (out of tree: give its file)`. */
export function supportWords(support: Support, operator?: string): string {
	const { verdict, needs, because } = support;
	if (because) return `${verdict} (${because})`;
	if (needs.length === 0) return verdict;
	if (needs.length === 1 && needs[0] === operator) return `${verdict}: no kernel`;
	return `${verdict}: needs ${someNames(needs)}`;
}

/** Some names, and how many more there are. */
export function someNames(names: readonly string[]): string {
	const more = names.length - NAMED;
	const named = names.slice(0, NAMED).join(", ");
	return more > 0 ? `${named} and ${more} more` : named;
}

/** How the four answers are shown: as the verdict that is the plainest of each. */
const ANSWERS = new Map<string, Verdict>(
	([["yes", "runs"], ["partly", "partly"], ["no", "fails"], ["unknown", "unknown"]] as const).map(
		([answer, verdict]) => [answer, verdictOf(verdict)],
	),
);
/** What works, through nothing of its own. */
const FALLS_BACK = verdictOf("falls-back");

/** How an answer is shown, and `missing`: nothing of the operator's own serves it. */
export function answerLook(works: string, missing: boolean): Pick<Verdict, "name" | "glyph"> {
	const look = ANSWERS.get(works) ?? UNKNOWN;
	return missing && works === "yes" ? FALLS_BACK : look;
}
