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

/** The keys of an operator: those where something changed, those where nothing did, and the unknown. */
export function byNews(ranges: readonly HistoryRange[]) {
	const keys = byKey(ranges);
	const isUnknown = ([, of]: (typeof keys)[number]) =>
		of.every(({ verdict }) => verdict === "unknown");
	const known = keys.filter((key) => !isUnknown(key));
	return {
		changed: known.filter(([, of]) => of.length > 1),
		same: known.filter(([, of]) => of.length === 1),
		unknown: keys.filter(isUnknown),
	};
}

type SupportCell = Schemas["SupportView"]["operators"][number]["cells"][number];

/** What a cell of a support table comes to, in words. */
export function supportWords({ verdict, first, last, ranges }: SupportCell): string {
	const worked = first && last ? `worked ${within(first, last)}` : undefined;
	const end = ranges.at(-1);
	if (!end) return "not there";
	// Without a verdict, the last revision does not have the operator.
	if (!verdict) return worked ? `removed; ${worked}` : `removed after ${placeTitle(end.to)}`;
	if (end.works === "yes") return `${verdict} since ${placeTitle(workingSince(ranges) ?? end.from)}`;
	return worked ? `${verdict}; ${worked}` : verdict;
}

/** Since when it has worked without a break. */
function workingSince(ranges: readonly HistoryRange[]): TimelinePlace | undefined {
	const broken = ranges.findLastIndex(({ works }) => works !== "yes");
	return ranges[broken + 1]?.from;
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
