import type { Operator } from "../api/queries";
import { type HistoryEvent, type HistoryRange, placeTitle, type TimelinePlace } from "./history";

/** The name without its overload name and without the underscore of an in-place operator. */
export function familyOf(name: string): string {
	const base = name.replace(/^aten::/, "").split(".", 1)[0] ?? name;
	return /[^_]_$/.test(base) ? base.slice(0, -1) : base;
}

/** How many operators are of each kind: `2 functional, 1 inplace, 4 generated`. */
export function kindsOf(operators: readonly Operator[]): string {
	const counts = new Map<string, number>();
	for (const { kind, generated } of operators) {
		const name = generated ? "generated" : kind;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}

/** The operator that stands for all: the first functional one that is written. */
export function mainOf<T extends Pick<Operator, "kind" | "generated">>(
	operators: readonly T[],
): T | undefined {
	const written = operators.filter(({ generated }) => !generated);
	return written.find(({ kind }) => kind === "functional") ?? written[0] ?? operators[0];
}

/** What happened to several operators, by place, in the order of the timeline. */
export interface FamilyStep {
	place: TimelinePlace;
	events: { operator: string; event: HistoryEvent }[];
}

/** Merges histories; `order` has the places of the timeline, oldest first. */
export function mergeHistories(
	histories: readonly { operator: string; events: readonly HistoryEvent[] }[],
	order: readonly TimelinePlace[],
): FamilyStep[] {
	const keyOf = (place: TimelinePlace) => `${place.revision} ${place.label ?? ""}`;
	const at = new Map(order.map((place, index) => [keyOf(place), index]));
	const steps = new Map<string, FamilyStep>();
	for (const { operator, events } of histories) {
		for (const event of events) {
			const key = keyOf(event);
			const step = steps.get(key) ?? { place: event, events: [] };
			step.events.push({ operator, event });
			steps.set(key, step);
		}
	}
	return [...steps].sort(([a], [b]) => (at.get(a) ?? 0) - (at.get(b) ?? 0)).map(([, step]) => step);
}

/** Adjacent places of a timeline at which a key is served alike. */
export interface Stretch {
	from: TimelinePlace;
	to: TimelinePlace;
	/** How many places it has. */
	length: number;
	/** What serves there; nothing where the operator does not exist. */
	range: HistoryRange | undefined;
}

/**
 * The ranges of a key over all places of a timeline, oldest first, with the gaps between them. The
 * ranges of one key do not overlap.
 */
export function stretches(
	order: readonly TimelinePlace[],
	ranges: readonly HistoryRange[],
): Stretch[] {
	const find = (place: TimelinePlace) =>
		order.findIndex((other) => placeTitle(other) === placeTitle(place));
	const spans = ranges
		.map((range) => ({ range, from: find(range.from), to: find(range.to) }))
		.filter(({ from, to }) => from >= 0 && to >= from)
		.sort((a, b) => a.from - b.from);
	const found: Stretch[] = [];
	const add = (from: number, to: number, range: HistoryRange | undefined) => {
		const [first, last] = [order[from], order[to]];
		if (first && last && to >= from) found.push({ from: first, to: last, length: to - from + 1, range });
	};
	let next = 0;
	for (const { range, from, to } of spans) {
		add(next, from - 1, undefined);
		add(Math.max(from, next), to, range);
		next = Math.max(next, to + 1);
	}
	add(next, order.length - 1, undefined);
	return found;
}
