import { describe, expect, it } from "vitest";
import type { MatrixView } from "../api/queries";
import { cellAt, facet, filtered, type MatrixOperator, sought } from "./matrix";

const operator = (name: string, rest: Partial<MatrixOperator> = {}): MatrixOperator => ({
	name,
	namespace: "aten",
	schema: `${name}(Tensor self) -> Tensor`,
	kind: "functional",
	generated: false,
	structured: false,
	python_module: null,
	tags: [],
	row: 0,
	verdicts: 0,
	ways: 0,
	...rest,
});

const view: MatrixView = {
	release: "2.9",
	build: { name: "all", left_out: [] },
	source: "everything",
	notes: [],
	keys: [
		{ key: "CPU", functionality: "Dense", backend: "CPU" },
		{ key: "MPS", functionality: "Dense", backend: "MPS" },
	],
	cells: [
		{ reason: "kernel", standing: "own", alias: null, derivable: true },
		{ reason: "missing", standing: "fails", alias: null, derivable: true },
	],
	rows: ["01", "00"],
	verdicts: {
		keys: ["CPU", "MPS"],
		claimed: ["CPU", "MPS"],
		rows: ["rf"],
		applicable: ["11"],
		legend: [],
	},
	ways: { ways: [], rows: [""], legend: [] },
	operators: [
		operator("add.Tensor", { tags: ["core", "pointwise"] }),
		operator("add.out", { kind: "out", row: 1, generated: true, tags: ["core"] }),
		operator("acme::add", { namespace: "acme", python_module: "nn" }),
	],
};
const names = (operators: readonly MatrixOperator[]) => operators.map(({ name }) => name);

describe("the matrix", () => {
	it("reads a cell as a character less 48", () => {
		const [first, second] = view.operators as [MatrixOperator, MatrixOperator];
		expect(cellAt(view, first, 1).reason).toBe("missing");
		expect(cellAt(view, second, 1).reason).toBe("kernel");
	});

	it("filters by key, by reason and by what operators are", () => {
		expect(names(filtered(view, { key: "MPS" }))).toEqual(["add.out"]);
		expect(names(filtered(view, { key: "MPS", reason: "missing" }))).toEqual([
			"add.Tensor",
			"acme::add",
		]);
		expect(names(filtered(view, { key: "HPU" }))).toEqual([]);
		expect(names(filtered(view, { generated: "only" }))).toEqual(["add.out"]);
		expect(names(filtered(view, { tag: "pointwise" }))).toEqual(["add.Tensor"]);
		expect(names(filtered(view, { python_module: "nn" }))).toEqual(["acme::add"]);
	});

	it("finds words in names and schemas, the best names first", () => {
		expect(names(sought(view.operators, "add.out"))).toEqual(["add.out"]);
		expect(names(sought(view.operators, "SELF tensor"))).toHaveLength(3);
		expect(names(sought(view.operators, "nothing"))).toEqual([]);
	});

	it("counts facets", () => {
		expect(facet(view.operators, (operator) => operator.tags)).toEqual([
			{ value: "core", count: 2 },
			{ value: "pointwise", count: 1 },
		]);
	});
});
