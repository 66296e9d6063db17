import { describe, expect, it } from "vitest";
import type { MatrixView } from "../api/queries";
import type { MatrixOperator } from "./matrix";
import { dataColumns, grouped, groupStarts } from "./operatorList";

const operator = (name: string, namespace = "aten") => ({ name, namespace }) as MatrixOperator;

describe("the list of operators", () => {
	it("has letters first, then what few people call, and what is deprecated last", () => {
		const names = ["_cast_Byte", "_convolution.deprecated", "__and__.Scalar", "bmm", "Add", "abs"];
		const order = grouped(names.map((name) => operator(name)));
		expect(order.map(({ name }) => name)).toEqual([
			"abs",
			"Add",
			"bmm",
			"__and__.Scalar",
			"_cast_Byte",
			"_convolution.deprecated",
		]);
		expect([...groupStarts(order)]).toEqual([
			["abs", ["A", 2]],
			["bmm", ["B", 1]],
			["__and__.Scalar", ["Python operators", 1]],
			["_cast_Byte", ["Internal", 1]],
			["_convolution.deprecated", ["Deprecated", 1]],
		]);
	});

	it("shows the backends with data", () => {
		const verdicts = { keys: ["CPU", "XLA", "MPS", "SparseCPU"], rows: ["ruur", "fufr"] };
		const keys = verdicts.keys.map((key) => ({
			key,
			functionality: key.startsWith("Sparse") ? "Sparse" : "Dense",
		}));
		const view = { keys, verdicts } as unknown as MatrixView;
		expect(dataColumns(view).map(({ key }) => key)).toEqual(["CPU", "MPS"]);
	});
});
