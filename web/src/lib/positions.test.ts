import { Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { columnOffset, rangeOf, visible } from "./positions";

const doc = Text.of(["- func: a(Tensor self)", "# ∑𝒳é tail", ""]);
const cut = (line: number, column: number, end_line: number, end_column: number) => {
	const { from, to } = rangeOf(doc, { line, column, end_line, end_column });
	return doc.sliceString(from, to);
};

describe("places", () => {
	it("count columns in scalar values, not in UTF-16 units", () => {
		expect(columnOffset("𝒳𝒳a", 3)).toBe(4);
		expect(cut(2, 4, 2, 5)).toBe("𝒳");
		expect(cut(2, 5, 2, 6)).toBe("é");
		expect(cut(2, 7, 2, 11)).toBe("tail");
	});

	it("may span lines", () => {
		expect(cut(1, 18, 2, 4)).toBe("self)\n# ∑");
	});

	it("past the end are the end", () => {
		expect(rangeOf(doc, { line: 9, column: 9, end_line: 9, end_column: 10 })).toEqual({
			from: doc.length,
			to: doc.length,
		});
		expect(cut(1, 21, 1, 99)).toBe("f)");
	});

	it("that are empty are shown by a letter", () => {
		const at = (line: number, column: number) => {
			const span = { line, column, end_line: line, end_column: column };
			const { from, to } = visible(rangeOf(doc, span), doc, line);
			return doc.sliceString(from, to);
		};
		expect(at(1, 1)).toBe("-");
		expect(at(1, 23)).toBe(")");
		expect(at(3, 1)).toBe("");
	});
});
