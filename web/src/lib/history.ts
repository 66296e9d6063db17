import type { components } from "../api/schema";
import { shortDigest } from "./format";

type Schemas = components["schemas"];
export type TimelinePlace = Schemas["Place"];
export type HistoryEvent = Schemas["Event"];
export type HistoryRange = Schemas["RangeView"];

/** What a place on a timeline is called: its label, its commit, or the beginning of its digest. */
export function placeTitle({ label, commit, revision }: TimelinePlace): string {
	return label ?? commit?.id.slice(0, 12) ?? shortDigest(revision);
}

/** What a range of a timeline is called. */
export function rangeTitle(from: TimelinePlace, to: TimelinePlace): string {
	const [first, last] = [placeTitle(from), placeTitle(to)];
	return first === last ? first : `${first} to ${last}`;
}

/** What addresses a place in paths: its label, else its commit, else its digest. */
export function placeAddress({ label, commit, revision }: TimelinePlace): string {
	return label ?? commit?.id.slice(0, 12) ?? revision;
}

/** What happened at one place of a timeline. */
export interface Step<T> {
	place: TimelinePlace;
	events: T[];
}

/** Events by where they show first, in the order in which they come. */
export function steps<T extends TimelinePlace>(events: readonly T[]): Step<T>[] {
	const steps: Step<T>[] = [];
	for (const event of events) {
		const last = steps.at(-1);
		if (last && last.place.revision === event.revision && last.place.label === event.label) {
			last.events.push(event);
		} else {
			steps.push({ place: event, events: [event] });
		}
	}
	return steps;
}

/** What may happen to an operator, with how each is called. */
export const EVENT_KINDS = {
	introduced: "Introduced",
	removed: "Removed",
	schema: "Schema",
	kernel: "Kernels",
	tag: "Tags",
	entry: "Binding",
} as const;
export type EventKind = keyof typeof EVENT_KINDS;
export const KIND_NAMES = Object.keys(EVENT_KINDS) as EventKind[];

/** The stretches of each key, in the order of the keys. */
export function byKey(ranges: readonly HistoryRange[]): [string, HistoryRange[]][] {
	const keys = new Map<string, HistoryRange[]>();
	for (const range of ranges) {
		if (range.key === null || range.key === undefined) continue;
		const of = keys.get(range.key);
		if (of) of.push(range);
		else keys.set(range.key, [range]);
	}
	return [...keys];
}

/** How far a backend has got with an operator. */
export type Supported = "own" | "inherited" | "partly" | "unknown" | "dropped" | "never";

/**
 * How a cell of a support table stands at the end of the timeline; where calls fail, whether they
 * ever worked.
 */
export function supportOf(cell: { standing?: string | null; first?: unknown }): Supported {
	const { standing } = cell;
	if (standing === "own" || standing === "inherited") return standing;
	if (standing === "partly" || standing === "unknown") return standing;
	return cell.first ? "dropped" : "never";
}

/** Names that a comma list, or a text over several lines, holds; each once. */
export function names(text: string | undefined): string[] {
	const found = (text ?? "").split(/[\s,]+/).filter((name) => name !== "");
	return [...new Set(found)];
}
