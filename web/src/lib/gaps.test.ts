import { describe, expect, it } from "vitest";
import type { MatrixView } from "../api/queries";
import { byName, gapFacet, ranked } from "./gaps";

const gap = (operator: string, lacking: boolean, core: boolean, isNew: boolean | null = null) => ({
	operator,
	lacking,
	core,
	new: isNew,
	reason: lacking ? "missing" : "math kernel",
	verdict: lacking ? "fails" : "decomposes",
	works: lacking ? "no" : "yes",
	because: null,
	settled_by: null,
	known_from: null,
	needs: lacking ? [operator] : [],
	source_key: null,
	others: 1,
	usage: null,
});

const GAPS = [
	gap("abs", true, true, false),
	gap("conv2d", false, true, true),
	gap("conv1d", false, false, false),
];

const operator = (
	name: string,
	tags: string[],
	kind: MatrixView["operators"][number]["kind"] = "functional",
	python_module: string | null = null,
	namespace = "aten",
): MatrixView["operators"][number] => ({
	name,
	namespace,
	kind,
	structured: false,
	generated: false,
	python_module,
	tags,
	row: 0,
	verdicts: 0,
	ways: 0,
	schema: `${name}(Tensor self) -> Tensor`,
});

const OPERATORS = byName([
	operator("abs", ["core", "pointwise"]),
	operator("conv2d", ["core"], "out", "nn"),
	operator("conv1d", [], "functional", null, "quantized"),
	operator("relu", ["maybe_aliasing"], "inplace"),
]);

describe("ranked", () => {
	const found = (filter: Parameters<typeof ranked>[1]) =>
		ranked(GAPS, filter, OPERATORS).map(({ rank, gap }) => [rank, gap.operator]);

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

	it("goes by what the operators are", () => {
		expect(found({ tag: "pointwise" })).toEqual([[1, "abs"]]);
		expect(found({ kind: "out", python_module: "nn" })).toEqual([[2, "conv2d"]]);
		expect(found({ namespace: "quantized" })).toEqual([[3, "conv1d"]]);
		expect(found({ tag: "maybe_aliasing" })).toEqual([]);
	});
});

describe("gapFacet", () => {
	it("names every value of the revision, those with most gaps first", () => {
		expect(gapFacet(GAPS, OPERATORS, ({ tags }) => tags)).toEqual([
			{ value: "core", count: 2 },
			{ value: "pointwise", count: 1 },
			{ value: "maybe_aliasing", count: 0 },
		]);
		expect(gapFacet(GAPS, OPERATORS, ({ python_module }) => [python_module])).toEqual([
			{ value: "nn", count: 1 },
		]);
	});
});
