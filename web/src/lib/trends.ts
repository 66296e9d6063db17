import type { components } from "../api/schema";
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

/** The titles of points, for an axis or the rows of a table. */
export const titles = (points: readonly TrendPoint[]): string[] => points.map(placeTitle);
