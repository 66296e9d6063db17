import { describe, expect, it } from "vitest";
import { coverageLine, drawnKeys, fateLines, type TrendPoint, titles, trendKeys } from "./trends";

const point = (label: string, operators: number, keys: Record<string, number>): TrendPoint => ({
	revision: `sha256:${label}`,
	label,
	date: null,
	commit: null,
	operators,
	generated: 0,
	composite_implicit: 0,
	composite_explicit: 0,
	structured: 0,
	core: 0,
	coverage: Object.entries(keys).map(([key, served]) => ({
		key,
		served,
		kernels: served / 2,
		partly: 0,
		fails: 0,
		unknown: operators - operators / 5 - served,
		applicable: operators - operators / 5,
		other_backends: operators / 5,
		percent: 0,
		claimed: true,
	})),
	way: null,
	step: null,
});

const POINTS = [point("1.0.0", 100, { CPU: 72, VE: 8 }), point("2.0.0", 200, { CPU: 80, MTIA: 40 })];

describe("trends", () => {
	it("know every backend of any point, those of the last first", () => {
		expect(trendKeys(POINTS)).toEqual(["CPU", "MTIA", "VE"]);
	});

	it("draw the main backends unless others are asked for, in the order of the table", () => {
		expect(drawnKeys([], ["CPU", "MTIA", "MPS"])).toEqual(["CPU", "MPS"]);
		expect(drawnKeys(["VE", "MTIA", "none"], ["CPU", "MTIA", "VE"])).toEqual(["MTIA", "VE"]);
	});

	it("leave a gap where a backend was not known, or nothing is declared", () => {
		expect(coverageLine(POINTS, "CPU", "served").values).toEqual([90, 50]);
		expect(coverageLine(POINTS, "MTIA", "kernels").values).toEqual([null, 12.5]);
		expect(coverageLine([point("0", 0, { CPU: 0 })], "CPU", "served").values).toEqual([null]);
	});

	it("say nothing of what works on a backend outside PyTorch", () => {
		const [of] = POINTS;
		const outside = of && { ...of, coverage: of.coverage.map((key) => ({ ...key, claimed: false })) };
		expect(coverageLine(outside ? [outside] : [], "CPU", "served").values).toEqual([null]);
		expect(coverageLine(outside ? [outside] : [], "CPU", "kernels").values).toEqual([45]);
	});

	it("are titled by their revisions", () => {
		expect(titles(POINTS)).toEqual(["1.0.0", "2.0.0"]);
	});

	it("of fates have a line each, unknown at the end, with nothing where there is none", () => {
		const fates = (of: Record<string, number>): TrendPoint => ({
			...point("1", 9, {}),
			way: { way: "vmap", title: "vmap", operators: 9, missing: 0, unknown: 0, fates: of },
		});
		const lines = fateLines([fates({ unknown: 9 }), fates({ rule: 2, "falls back": 7 })]);
		expect(lines).toEqual([
			{ name: "falls back", values: [0, 7] },
			{ name: "rule", values: [0, 2] },
			{ name: "unknown", values: [9, 0] },
		]);
	});
});
