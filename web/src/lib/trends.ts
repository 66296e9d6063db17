import type { components } from "../api/schema";
import { counted, day } from "./format";
import { placeTitle } from "./history";

type Schemas = components["schemas"];
export type TrendPoint = Schemas["Point"];

/** A line of a chart: a value for each point, nothing where there is none. */
export interface Line {
	name: string;
	values: (number | null)[];
}

/** The backends that are drawn where nobody chose. */
const MAIN = ["CPU", "CUDA", "MPS", "XPU", "XLA", "Meta"];

/** Every backend of any point, in the order in which they stand at the last. */
export function trendKeys(points: readonly TrendPoint[]): string[] {
	const keys = new Set<string>();
	for (const point of [...points].reverse()) for (const { key } of point.coverage) keys.add(key);
	return [...keys];
}

/** The backends that are drawn: those asked for that there are, or the main ones. */
export function drawnKeys(asked: readonly string[], known: readonly string[]): string[] {
	return known.filter((key) => (asked.length > 0 ? asked : MAIN).includes(key));
}

/**
 * The share of the operators that apply to a backend in per cent, point by point; null where the key is not known, and where
 * what works is not: of a backend outside PyTorch only the kernels are.
 */
export function coverageLine(
	points: readonly TrendPoint[],
	key: string,
	counted: "served" | "partly" | "fails" | "unknown" | "kernels",
): Line {
	const share = (point: TrendPoint) => {
		const found = point.coverage.find((of) => of.key === key);
		if (!found || found.applicable === 0) return null;
		if (counted === "served" && !found.claimed) return null;
		return (found[counted] / found.applicable) * 100;
	};
	return { name: key, values: points.map(share) };
}

/** A line for each fate of any point, those with most operators at the last first, unknown at the end. */
export function fateLines(points: readonly TrendPoint[]): Line[] {
	const counts = points.map((point): Record<string, number> => point.way?.fates ?? {});
	const names = [...new Set(counts.flatMap((of) => Object.keys(of)))];
	const last = counts.at(-1) ?? {};
	const rank = (name: string) => (name === "unknown" ? -1 : (last[name] ?? 0));
	names.sort((a, b) => rank(b) - rank(a) || a.localeCompare(b));
	return names.map((name) => ({ name, values: counts.map((of) => of[name] ?? 0) }));
}

/** The titles of points, for the rows of a table. */
export const titles = (points: readonly TrendPoint[]): string[] => points.map(placeTitle);

/** The titles of points on an axis: releases by label, commits by day. */
export const axisTitles = (points: readonly TrendPoint[]): string[] =>
	points.map((point) => (point.commit && point.date ? day(point.date) : placeTitle(point)));

/** About how many lines of a grid an axis has. */
const GRID = 4;

/**
 * The least and the greatest value of an axis on which the lines' changes are seen, both round
 * numbers; `most` is what no value exceeds.
 */
export function axisRange(lines: readonly Line[], most = Number.POSITIVE_INFINITY): [number, number] {
	const values = lines.flatMap(({ values }) => values).filter((value) => value !== null);
	if (values.length === 0) return [0, Math.min(1, most)];
	const [low, high] = [Math.min(...values), Math.max(...values)];
	const step = roundStep((high - low) / GRID || Math.max(high / 20, 1));
	const least = Math.max(0, Math.floor(low / step) * step);
	const greatest = Math.ceil(high / step) * step;
	return [least, Math.min(most, greatest > least ? greatest : least + step)];
}

/** The round number from which on steps are no smaller: 1, 2 or 5 with zeros. */
function roundStep(step: number): number {
	const power = 10 ** Math.floor(Math.log10(step));
	return ([1, 2, 5].find((round) => round * power >= step) ?? 10) * power;
}

/** A change that a chart points out: from one point to the next. */
export interface Note {
	/** The place of the later point. */
	at: number;
	/** `+45 operators` */
	text: string;
	/** How large it is. */
	weight: number;
	since: TrendPoint;
	point: TrendPoint;
}

/** How many declared operators came and went from point to point. */
export function notesOf(points: readonly TrendPoint[]): Note[] {
	return points.flatMap((point, at) => {
		const since = points[at - 1];
		const change = since ? point.operators - since.operators : 0;
		if (!since || change === 0) return [];
		const weight = Math.abs(change);
		const sign = change > 0 ? "+" : "−";
		return [{ at, text: `${sign}${counted(weight, "operator")}`, weight, since, point }];
	});
}

/** The largest of the notes that have room, in their order, with where they lie. */
export function placed(
	notes: readonly Note[],
	leftOf: (at: number) => number,
	room: number,
): { note: Note; left: number }[] {
	const found: { note: Note; left: number }[] = [];
	for (const note of [...notes].sort((a, b) => b.weight - a.weight)) {
		const left = leftOf(note.at);
		if (found.every((other) => Math.abs(other.left - left) >= room)) found.push({ note, left });
	}
	return found.sort((a, b) => a.left - b.left);
}
