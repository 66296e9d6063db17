import { describe, expect, it } from "vitest";
import {
	begun,
	byKey,
	type HistoryRange,
	names,
	placeAddress,
	placeTitle,
	steps,
	spanTitle,
	supportWords,
	type TimelinePlace,
} from "./history";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
const at = (label: string | null, revision = DIGEST): TimelinePlace => ({
	revision,
	label,
	date: null,
	commit: null,
});

describe("places", () => {
	it("are called by label, then commit, then digest", () => {
		expect(placeTitle(at("2.4.0"))).toBe("2.4.0");
		const commit = { id: "c0ffee".repeat(6), subject: "Rename" };
		expect(placeTitle({ ...at(null), commit })).toBe("c0ffeec0ffee");
		expect(placeTitle(at(null))).toBe("0123456789ab");
	});

	it("are addressed by label, else by commit, else by the whole digest", () => {
		expect(placeAddress(at("2.4.0"))).toBe("2.4.0");
		const commit = { id: "c0ffee".repeat(6), subject: "Rename" };
		expect(placeAddress({ ...at(null), commit })).toBe("c0ffeec0ffee");
		expect(placeAddress(at(null))).toBe(DIGEST);
	});
});

describe("steps", () => {
	it("gather what happened at one place, and keep labels of one revision apart", () => {
		const events = [at("2.4.0"), at("2.4.0"), at("2.4.1"), at("2.5.0", "sha256:ff")];
		const lengths = steps(events).map(({ place, events }) => [place.label, events.length]);
		expect(lengths).toEqual([
			["2.4.0", 2],
			["2.4.1", 1],
			["2.5.0", 1],
		]);
		expect(steps([])).toEqual([]);
	});
});

describe("byKey", () => {
	it("leaves presence out, and keeps the order of keys and stretches", () => {
		const range = (key: string | null, from: string): HistoryRange => ({
			key,
			from: at(from),
			to: at(from),
			supported: true,
			reason: "kernel",
			verdict: "runs",
			works: "yes",
			because: null,
			settled_by: null,
			source_key: key,
			kernel: null,
		});
		const found = byKey([range(null, "1"), range("MPS", "1"), range("CPU", "1"), range("MPS", "2")]);
		const told = found.map(([key, of]) => [key, of.map(({ from }) => from.label)]);
		expect(told).toEqual([
			["MPS", ["1", "2"]],
			["CPU", ["1"]],
		]);
	});
});

describe("a cell of support", () => {
	const range = (from: string, to: string, verdict: string, works: string) => ({
		...({} as HistoryRange),
		from: at(from),
		to: at(to),
		verdict,
		works,
	});
	const cell = (verdict: string | null, first: string | null, last: string | null, ranges: HistoryRange[]) =>
		supportWords({
			key: "XPU",
			supported: verdict === "runs",
			first: first === null ? null : at(first),
			first_kernel: null,
			last: last === null ? null : at(last),
			reason: null,
			verdict,
			works: null,
			standing: null,
			ranges,
		});
	const [runs, decomposes, fails, unknown] = [
		range("2.3", "2.4", "runs", "yes"),
		range("2.2", "2.2", "decomposes", "yes"),
		range("2.0", "2.1", "fails", "no"),
		range("2.0", "2.4", "unknown", "unknown"),
	];

	it("says since when it has worked without a break", () => {
		expect(cell("runs", "2.2", "2.4", [fails, decomposes, runs])).toBe("runs since 2.2");
		expect(cell("runs", "2.0", "2.4", [decomposes, fails, runs])).toBe("runs since 2.3");
	});

	it("says that something is lost only where it was there", () => {
		expect(cell("fails", null, null, [fails])).toBe("fails");
		expect(cell("unknown", null, null, [unknown])).toBe("unknown");
		expect(cell("fails", "2.2", "2.2", [decomposes, fails])).toBe("fails; worked only in 2.2");
		expect(cell(null, "2.3", "2.4", [runs])).toBe("removed; worked from 2.3 to 2.4");
		expect(cell(null, null, null, [fails])).toBe("removed after 2.1");
		expect(cell(null, null, null, [])).toBe("not there");
	});

	it("is told in stretches, the last of which goes on", () => {
		expect(spanTitle(at("2.0"), at("2.1"), at("2.4"))).toBe("2.0 to 2.1");
		expect(spanTitle(at("2.3"), at("2.4"), at("2.4"))).toBe("since 2.3");
	});
});

describe("what is typed", () => {
	it("begins the last name of a list", () => {
		expect(begun("add.Tensor, bm")).toEqual({ before: "add.Tensor, ", name: "bm" });
		expect(begun("")).toEqual({ before: "", name: "" });
	});
});

describe("names", () => {
	it("takes commas, spaces and lines, each name once", () => {
		expect(names(" add.Tensor, bmm\nabs,,bmm ")).toEqual(["add.Tensor", "bmm", "abs"]);
		expect(names(undefined)).toEqual([]);
	});
});
