import { describe, expect, it } from "vitest";
import type { Finding } from "../api/queries";
import { cutAt, linesWith, inFile, lineOf, nextStop, sourceRows, stops } from "./sourceLines";

const finding = (line: number, severity: Finding["severity"], file = "a.yaml", column = 1): Finding => ({
	file,
	severity,
	rule: "a-rule",
	message: `${severity} at ${line}:${column}`,
	operator: null,
	help: null,
	fix: null,
	related: [],
	suppressed: false,
	span: { line, column, end_line: line, end_column: column + 1 },
});

const FOUND = inFile(
	[
		finding(3, "info", "a.yaml", 9),
		finding(1, "warning"),
		finding(3, "error", "a.yaml", 2),
		finding(2, "error", "b.yaml"),
	],
	"a.yaml",
);

describe("the lines of a file", () => {
	it("have their findings under them, in order", () => {
		const rows = sourceRows("one\r\ntwo\nthree\n", FOUND);
		const told = rows.map((row) =>
			row.kind === "line" ? `${row.line} ${row.text} ${row.severity ?? "-"}` : row.finding.message,
		);
		expect(told).toEqual([
			"1 one warning",
			"warning at 1:1",
			"2 two -",
			"3 three error",
			"error at 3:2",
			"info at 3:9",
		]);
	});

	it("keep empty lines, the last one aside", () => {
		expect(sourceRows("a\n\nb\n\n", []).length).toBe(4);
	});
});

describe("stepping through findings", () => {
	it("goes from line to line, and stays within", () => {
		const at = stops(FOUND);
		expect(at).toEqual([1, 3]);
		expect(nextStop(at, undefined, 1)).toBe(1);
		expect(nextStop(at, 1, 1)).toBe(3);
		expect(nextStop(at, 2, 1)).toBe(3);
		expect(nextStop(at, 3, 1)).toBeUndefined();
		expect(nextStop(at, undefined, -1)).toBe(3);
		expect(nextStop(at, 3, -1)).toBe(1);
		expect(nextStop(at, 1, -1)).toBeUndefined();
	});
});

describe("a line in a fragment", () => {
	it("is a number from one on", () => {
		expect(lineOf("L12")).toBe(12);
		expect(lineOf("#L7")).toBe(7);
		expect(["L0", "L", "Lx", "12", "L1-L2", ""].map(lineOf)).toEqual(Array(6).fill(undefined));
	});
});

describe("what is looked for", () => {
	it("is found by line, in whatever case", () => {
		expect(linesWith("add\r\nsub\n# ADD", "Add")).toEqual([1, 3]);
		expect(linesWith("add", undefined)).toEqual([]);
		expect(linesWith("a.b", ".")).toEqual([1]);
	});

	it("is cut out of a line", () => {
		expect(cutAt("Add an add", "add")).toEqual(["", "Add", " an ", "add", ""]);
		expect(cutAt("none", "x")).toEqual(["none"]);
		expect(cutAt("none", undefined)).toEqual(["none"]);
		expect(cutAt("\u0130x", "x")).toEqual(["\u0130x"]);
	});
});
