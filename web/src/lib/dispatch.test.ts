import { describe, expect, it } from "vitest";
import type { Entry } from "../api/queries";
import { fold, foldChanges, grid, toggled } from "./dispatch";

const entry = (key: string, rest: Partial<Entry> = {}): Entry => ({
	key,
	functionality: key,
	backend: null,
	kernel: null,
	source_key: null,
	reason: "missing",
	origin: null,
	fallthrough: false,
	derivable: true,
	cause: null,
	file: null,
	span: null,
	support: {
		verdict: "runs",
		works: "yes",
		because: null,
		known_from: "declared",
		needs: [],
		through: [],
		rarely_needs: [],
		unclaimed: null,
		settled_by: null,
		chain: null,
		belongs_to: null,
	},
	...rest,
});
const kernel = (key: string, name: string) =>
	entry(key, { reason: "kernel", kernel: name, source_key: key, origin: "declared", file: "f" });

describe("fold", () => {
	it("makes one row of keys that have the same kernel for the same reason", () => {
		const rows = fold([
			entry("FPGA"),
			kernel("SparseCPU", "add_sparse"),
			kernel("CPU", "add"),
			kernel("SparseCUDA", "add_sparse"),
			entry("VE"),
		]);
		expect(rows.map((row) => [row.reason, row.entries.map(({ key }) => key)])).toEqual([
			["kernel", ["SparseCPU", "SparseCUDA"]],
			["kernel", ["CPU"]],
			["missing", ["FPGA", "VE"]],
		]);
		expect(rows.flatMap((row) => row.entries)).toHaveLength(5);
	});

	it("tells an alias from a kernel of the key's own", () => {
		const served = { reason: "math kernel", kernel: "a", source_key: "CompositeImplicitAutograd" };
		const [row] = fold([entry("CPU", served)]);
		expect(row?.alias).toBe("CompositeImplicitAutograd");
		expect(fold([kernel("CPU", "a")])[0]?.alias).toBeNull();
	});

	it("folds fallbacks whatever their files", () => {
		const fallback = { reason: "backend fallback", origin: "fallback" };
		expect(
			fold([entry("A", { ...fallback, file: "a" }), entry("B", { ...fallback, file: "b" })]),
		).toHaveLength(1);
	});
});

describe("grid", () => {
	it("lays out functionality by backend and keeps the rest", () => {
		const dense = (backend: string) => entry(backend, { functionality: "Dense", backend });
		const made = grid([
			entry("Undefined"),
			dense("CPU"),
			dense("MPS"),
			entry("SparseCPU", { functionality: "Sparse", backend: "CPU" }),
		]);
		expect(made.backends).toEqual(["CPU", "MPS"]);
		expect(made.rows.map((row) => row.cells.map((cell) => cell?.key))).toEqual([
			["CPU", "MPS"],
			["SparseCPU", undefined],
		]);
		expect(made.rest.map(({ key }) => key)).toEqual(["Undefined"]);
	});
});

describe("toggled", () => {
	it("adds and takes away", () => {
		expect(toggled([], "CPU", true)).toBe("CPU");
		expect(toggled(["CPU", "MPS"], "CPU", false)).toBe("MPS");
		expect(toggled(["CPU"], "CPU", false)).toBeUndefined();
	});
});

describe("foldChanges", () => {
	it("makes one row of cells that change alike, the few first", () => {
		const before = [entry("A"), entry("B"), entry("C"), kernel("D", "d")];
		const after = [kernel("A", "x"), kernel("B", "x"), kernel("C", "own"), kernel("D", "d")];
		const rows = foldChanges(before, after, ["A", "B", "C"]);
		expect(rows.map(({ keys, after }) => [keys, after.kernel])).toEqual([
			[["C"], "own"],
			[["A", "B"], "x"],
		]);
	});
});
