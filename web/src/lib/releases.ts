import type { TableView } from "../api/queries";
import { verdictOf } from "./verdicts";

export type KeyHistory = TableView["releases"][number];

/** `2.0.0 to 2.13.1 fails; since 2.14.0 runs`: one part for each stretch of releases. */
export function spanWords(spans: KeyHistory["spans"]): string {
	const part = ({ first, last, verdict }: KeyHistory["spans"][number], at: number) => {
		const word = verdictOf(verdict).short.toLowerCase();
		if (at > 0 && at === spans.length - 1) return `since ${first} ${word}`;
		return first === last ? `${first} ${word}` : `${first} to ${last} ${word}`;
	};
	return spans.map(part).join("; ");
}

type Answer = TableView["training"][number];

/** Backends by whether anything is known about them: the others live out of PyTorch's tree. */
export function byData(view: TableView): { known: Answer[]; outside: Answer[] } {
	const unclaimed = new Set(
		view.table.flatMap(({ key, support }) => (support.unclaimed ? [key] : [])),
	);
	return {
		known: view.training.filter(({ key }) => !unclaimed.has(key)),
		outside: view.training.filter(({ key }) => unclaimed.has(key)),
	};
}

const TRAINING: Record<string, string> = {
	yes: "trains",
	partly: "trains in part",
	no: "no training",
	"not differentiable": "no gradient",
	unknown: "training unknown",
};

/** Whether training works, in words. */
export const trainingWords = (training: string): string => TRAINING[training] ?? training;

/** Whether training works as one of the four answers; null where there is nothing to train. */
export const trainingAnswer = (training: string): string | null =>
	training === "not differentiable" ? null : training;

/** Through what training works, or why it does not. */
export function throughWords({ through, detail, not_implemented, needs }: Answer): string {
	if (not_implemented.length > 0) return `not implemented for ${not_implemented.join(", ")}`;
	if (needs.length > 0) return `the backward needs ${needs.join(", ")}`;
	return through === "error" ? (detail ?? "raises an error") : through;
}
