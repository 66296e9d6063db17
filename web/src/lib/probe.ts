import { count } from "./format";

/** Whether a test of a run and the verdicts say the same. */
export const AGREES_NAMES = { no: "Contradicts", unknown: "Unknown", yes: "Agrees" } as const;

/** Why it is unknown whether they do. */
export const SILENCES = {
	outcome: "the outcome says nothing about dispatch",
	device: "the device has no known dispatch key",
	verdict: "a verdict is unknown",
	layout: "tensors of another layout have another key",
	"some-calls": "some calls fail, perhaps none of these",
} as const;

/** `600 runs, 20 missing`: the most frequent outcomes first. */
export function outcomeWords(outcomes: Readonly<Record<string, number>>): string {
	const entries = Object.entries(outcomes).sort(([, one], [, other]) => other - one);
	return entries.map(([outcome, items]) => `${count(items)} ${outcome}`).join(", ");
}
