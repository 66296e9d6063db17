import { describe, expect, it } from "vitest";
import { aliasLinks } from "./alias";

const value = (name: string, annotation: string | null = null) => ({ name, annotation });

describe("aliasLinks", () => {
	it("joins arguments and returns of a set, and tells what is written", () => {
		expect(aliasLinks([value("self", "a!"), value("other")], [value("", "a!")])).toEqual([
			{ set: "a", argument: 0, result: 0, write: true, wildcard: false },
		]);
	});

	it("keeps what is written and not returned, and views of what contains", () => {
		expect(aliasLinks([value("x", "a!"), value("y", "b -> *")], [value("", "b")])).toEqual([
			{ set: "a", argument: 0, result: null, write: true, wildcard: false },
			{ set: "b", argument: 1, result: 0, write: false, wildcard: true },
		]);
	});

	it("reads unions", () => {
		expect(aliasLinks([value("x", "a|b")], []).map(({ set }) => set)).toEqual(["a", "b"]);
	});
});
