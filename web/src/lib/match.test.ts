import { describe, expect, it } from "vitest";
import { best } from "./match";

const found = (sought: string, ...names: string[]) => best(sought, names, (name) => name, 10);

describe("best", () => {
	it("puts exact names first, then families, then beginnings, then words, then parts", () => {
		expect(found("add", "padded", "_add", "addmm", "add.Tensor", "add")).toEqual([
			"add",
			"add.Tensor",
			"addmm",
			"_add",
			"padded",
		]);
	});

	it("wants every word, in whatever case", () => {
		expect(found("Add out", "add.out", "add.Tensor", "out")).toEqual(["add.out"]);
	});

	it("takes what is sought as text", () => {
		expect(found(".*", "add", "a.*b")).toEqual(["a.*b"]);
	});
});
