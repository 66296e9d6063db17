import { describe, expect, it } from "vitest";
import type { HistoryRange, TimelinePlace } from "./history";
import { begun, names, spanTitle, supportWords } from "./support";

const at = (label: string): TimelinePlace => ({
	revision: `sha256:${label}`,
	label,
	date: null,
	commit: null,
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
			first_at_latest: false,
			first_kernel: null,
			first_kernel_at_latest: false,
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
		expect(cell("runs", "2.3", "2.4", [unknown, runs])).toBe("runs since 2.3 or earlier");
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
