import { describe, expect, it } from "vitest";
import { ranked } from "./gaps";

const gap = (operator: string, lacking: boolean, core: boolean, isNew: boolean | null = null) => ({
	operator,
	lacking,
	core,
	new: isNew,
	reason: lacking ? "missing" : "math kernel",
	source_key: null,
	others: 1,
	usage: null,
});

const GAPS = [
	gap("abs", true, true, false),
	gap("conv2d", false, true, true),
	gap("conv1d", false, false, false),
];

describe("ranked", () => {
	const found = (filter: Parameters<typeof ranked>[1]) =>
		ranked(GAPS, filter).map(({ rank, gap }) => [rank, gap.operator]);

	it("keeps the ranks of the whole list", () => {
		expect(found({})).toEqual([
			[1, "abs"],
			[2, "conv2d"],
			[3, "conv1d"],
		]);
		expect(found({ q: "CONV 1" })).toEqual([[3, "conv1d"]]);
		expect(found({ only: "lacking" })).toEqual([[1, "abs"]]);
		expect(found({ only: "inherited", tag: "core" })).toEqual([[2, "conv2d"]]);
		expect(found({ added: "new" })).toEqual([[2, "conv2d"]]);
		expect(found({ q: "nothing" })).toEqual([]);
	});
});
