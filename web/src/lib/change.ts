import type { components } from "../api/schema";
import { count, counted } from "./format";

type Schemas = components["schemas"];
type Point = Schemas["Point"];
export type Step = Schemas["StepView"] & { to: Schemas["Place"] };

/** What tells a place of a timeline from the others, those with the same files too. */
export const placeKey = ({ revision, label, commit }: Schemas["Place"]): string =>
	label ?? commit?.id ?? revision;

/** What each place of a timeline changed, by its key. */
export function stepsByPlace(points: readonly Point[]): Map<string, Step> {
	return new Map(
		points.flatMap((point) =>
			point.step ? [[placeKey(point), { ...point.step, to: point }] as const] : [],
		),
	);
}

/** What a step makes worse, as a sentence says it; `added` is how many errors it adds, if that is known. */
export function breaks({ breaking, forward_breaking }: Step, added = 0): string {
	const errors = added > 0 ? `adds ${counted(added, "error")}` : undefined;
	const said = [
		breaking > 0 && `${count(breaking)} breaking`,
		forward_breaking > 0 && `${count(forward_breaking)} forward-breaking`,
	].filter((part) => part !== false);
	if (said.length === 0) return errors ?? "no breaking changes";
	const changes = `${said.join(", ")} ${breaking + forward_breaking === 1 ? "change" : "changes"}`;
	return errors ? `${changes}, ${errors}` : changes;
}
