import { describe, expect, it } from "vitest";
import { yamlParts } from "./yamlLine";

const parts = (line: string) =>
	yamlParts(line, (name) => name === "add.Tensor")
		.filter(({ kind }) => kind !== "text")
		.map(({ kind, text }) => `${kind} ${text}`);

describe("yamlParts", () => {
	it("finds fields, comments and operators", () => {
		expect(parts("- func: add.Tensor(Tensor self) -> Tensor")).toEqual([
			"key func",
			"operator add.Tensor",
		]);
		expect(parts("  structured_delegate: add.out # why")).toEqual([
			"key structured_delegate",
			"operator add.out",
			"comment # why",
		]);
		expect(parts("  autogen: a.out, b")).toEqual(["key autogen", "operator a.out", "operator b"]);
		expect(parts("    SparseCPU, SparseCUDA: add_sparse")).toEqual(["key SparseCPU, SparseCUDA"]);
		expect(parts("# - func: none()")).toEqual(["comment # - func: none()"]);
		expect(parts("  variants: 'a # b'")).toEqual(["key variants"]);
		expect(parts("- func: f(str a=\"#\") -> ()")).toEqual(["key func", "operator f"]);
	});

	it("takes an item of a list for an operator only where one is known", () => {
		expect(parts("  - add.Tensor")).toEqual(["operator add.Tensor"]);
		expect(parts("  - nothing")).toEqual([]);
	});

	it("gives back the line", () => {
		for (const line of ["", "- func: a::b.c(int x='#') -> ()  # y", "\tkey : v", "::", "é: ü # ö"]) {
			const whole = yamlParts(line, () => true).map(({ text }) => text);
			expect(whole.join("")).toBe(line);
		}
	});
});
