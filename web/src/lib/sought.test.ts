import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { distance, nearest } from "./distance";
import { best, candidate } from "./sought";

const TABLE = readFileSync(
	new URL("../../../tests/search/queries.txt", import.meta.url),
	"utf8",
).split("\n");

const lines = (start: string) =>
	TABLE.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));

describe("best", () => {
	const operators = lines("operator ").map((line) => {
		const [namespace, schema = ""] = line.split("::", 2);
		const name = schema.split("(", 1)[0] ?? "";
		return { name: namespace === "aten" ? name : `${namespace}::${name}`, schema };
	});
	const found = (text: string) =>
		best(text, operators, ({ name, schema }) => candidate(name, schema));

	it.each(lines("query "))("%s", (line) => {
		const [query = "", names = ""] = line.split(" =>");
		const expected = names.split(" ").filter((name) => name !== "");
		expect(found(query).map(({ name }) => name)).toEqual(expected);
	});

	it("takes nothing for everything", () => {
		expect(found("  ")).toHaveLength(operators.length);
		expect(found("torch.")).toHaveLength(operators.length);
	});
});

describe("nearest", () => {
	it("counts changed, inserted, dropped and swapped letters", () => {
		expect(distance("softmax", "softmax", 2)).toBe(0);
		expect(distance("sofmtax", "softmax", 2)).toBe(1);
		expect(distance("sofmax", "softmax", 2)).toBe(1);
		expect(distance("softmaxx", "softmax", 2)).toBe(1);
		expect(distance("sigmoid", "softmax", 2)).toBeUndefined();
	});

	it("gives the nearest first, each once, and not the word", () => {
		expect(nearest("relu", ["relu6", "relu", "prelu", "relu6", "elu", "gelu"], 9)).toEqual([
			"relu6",
			"prelu",
			"elu",
			"gelu",
		]);
	});
});
