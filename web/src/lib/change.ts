import type { components } from "../api/schema";
import { count } from "./format";

type Schemas = components["schemas"];
type Point = Schemas["Point"];
export type Step = Schemas["StepView"] & { to: Schemas["Place"] };

/**
 * What each revision changed, by its digest. The same files may stand at several places of a
 * timeline: what they changed is what they changed where they came first.
 */
export function stepsByRevision(points: readonly Point[]): Map<string, Step> {
	const steps = new Map<string, Step>();
	const seen = new Set<string>();
	for (const point of points) {
		if (seen.has(point.revision)) continue;
		seen.add(point.revision);
		if (point.step) steps.set(point.revision, { ...point.step, to: point });
	}
	return steps;
}

/** How much of a step breaks, as a sentence says it. */
export function breaks({ breaking, forward_breaking }: Step): string {
	const said = [
		breaking > 0 && `${count(breaking)} breaking`,
		forward_breaking > 0 && `${count(forward_breaking)} forward-breaking`,
	].filter((part) => part !== false);
	if (said.length === 0) return "nothing breaks";
	return `${said.join(", ")} ${breaking + forward_breaking === 1 ? "change" : "changes"}`;
}
