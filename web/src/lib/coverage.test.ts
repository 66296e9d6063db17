import { describe, expect, it } from "vitest";
import type { MatrixView } from "../api/queries";
import { moves, outcomes, outcomesBy, outcomesTotal, served, tallies, total } from "./coverage";
import type { MatrixOperator } from "./matrix";

const operator = (name: string, row: number): MatrixOperator => ({
	verdicts: row,
	ways: 0,
	name,
	namespace: name.startsWith("acme") ? "acme" : "aten",
	schema: "",
	kind: "functional",
	generated: false,
	structured: false,
	python_module: null,
	tags: [],
	row,
});
const view = (rows: string[], verdicts: string[], operators: MatrixOperator[]): MatrixView => ({
	release: "2.9",
	build: { name: "all", left_out: [] },
	source: "everything",
	notes: [],
	keys: ["CPU", "MPS"].map((key) => ({ key, functionality: "Dense", backend: key })),
	cells: [
		["kernel", "own"],
		["missing", "fails"],
		["math kernel", "inherited"],
		["backend fallback", "unknown"],
	].map(([reason = "", standing = ""]) => ({
		reason,
		standing,
		alias: null,
		derivable: true,
	})),
	rows,
	ways: { ways: [], rows: [""], legend: [] },
	// `g` belongs to other backends.
	verdicts: {
		keys: ["MPS"],
		claimed: ["MPS"],
		rows: verdicts,
		legend: [
			{ letter: "r", verdict: "runs", works: "yes" },
			{ letter: "d", verdict: "decomposes", works: "yes" },
			{ letter: "f", verdict: "fails", works: "no" },
			{ letter: "u", verdict: "unknown", works: "unknown" },
		],
		applicable: verdicts.map((_, at) => (at === 6 ? "0" : "1")),
	},
	operators,
});
// On MPS the verdict counts: `e` has a default kernel whose parts are missing.
const now = view(
	["00", "01", "22", "03", "02", "02", "01"],
	["r", "f", "d", "f", "f", "u", "f"],
	["a", "b", "acme::c", "d", "e", "f", "g"].map(operator),
);

describe("coverage", () => {
	it("counts own kernels, what works otherwise, what fails, and what is unknown", () => {
		const [counts] = tallies(now, now.operators, [1]);
		expect(counts).toEqual({ direct: 1, inherited: 1, missing: 3, unknown: 1, other: 1 });
		expect(counts && total(counts)).toBe(6);
	});

	it("counts by answers on the key of a backend, elsewhere by standing", () => {
		const counts = outcomes(now, now.operators, 1);
		expect(counts).toEqual({ works: 2, fails: 3, unknown: 1, other: 1 });
		expect(outcomesTotal(counts)).toBe(6);
		expect(outcomesBy(now, now.operators, 0, ({ namespace }) => namespace)).toEqual([
			["aten", { direct: 6 }],
			["acme", { inherited: 1 }],
		]);
	});

	it("counts the columns that serve an operator", () => {
		expect(now.operators.map(served(now, [0, 1]))).toEqual([2, 1, 2, 1, 1, 1, 1]);
	});

	it("tells what was gained and lost", () => {
		const before = view(["01", "00", "00"], ["f", "r", "r"], ["a", "b", "gone"].map(operator));
		expect(moves(before, now, "MPS")).toEqual({
			gained: [
				{ name: "a", before: "missing", now: "direct" },
				{ name: "acme::c", before: "absent", now: "inherited" },
			],
			lost: [
				{ name: "b", before: "direct", now: "missing" },
				{ name: "gone", before: "direct", now: "absent" },
			],
		});
	});
});
