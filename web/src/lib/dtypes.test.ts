import { describe, expect, it } from "vitest";
import { dtypeTables } from "./dtypes";

const item = (device: string, known_from: string, forward: string[], backward: string[] = []) => ({
	function: "add",
	device,
	forward,
	backward,
	known_from,
});

describe("dtypes", () => {
	it("keep what was measured apart from what is claimed, and come first", () => {
		const tables = dtypeTables([
			item("cpu", "claimed", ["f32", "bf16"]),
			item("cpu", "measured", ["f32"]),
		]);
		expect(tables.map(({ known_from }) => known_from)).toEqual(["measured", "claimed"]);
		expect(tables[0]?.dtypes).toEqual(["f32"]);
	});

	it("share a row among devices that take the same", () => {
		const [table] = dtypeTables([
			item("cpu", "claimed", ["f32", "f16"], ["f32"]),
			item("cuda", "claimed", ["f16", "f32"], ["f32"]),
			item("mps", "claimed", ["f16"]),
		]);
		const rows = table?.functions[0]?.rows ?? [];
		expect(rows.map(({ devices }) => devices)).toEqual([["cpu", "cuda"], ["mps"]]);
		expect(rows[0]?.backward.has("f16")).toBe(false);
	});

	it("are sorted by kind and size", () => {
		const names = ["c64", "f64", "bf16", "f16", "i64", "i8", "u8", "b8"];
		const [table] = dtypeTables([item("cpu", "claimed", names)]);
		expect(table?.dtypes).toEqual(["b8", "u8", "i8", "i64", "bf16", "f16", "f64", "c64"]);
	});

	it("are none where nothing is known", () => {
		expect(dtypeTables([])).toEqual([]);
	});
});
