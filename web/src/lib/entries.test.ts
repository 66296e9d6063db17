import { describe, expect, it } from "vitest";
import { diffLines, entryAt } from "./entries";

const shown = (before: string, after: string) =>
	diffLines(before, after)?.map(({ sign, text }) => sign + text);

describe("diffLines", () => {
	it("keeps common lines and sets old before new", () => {
		expect(shown("a\nb\nc\n", "a\nx\nc\nd\n")).toEqual([" a", "-b", "+x", " c", "+d"]);
		expect(shown("a\nb\n", "a\n")).toEqual([" a", "-b"]);
	});

	it("sees a change of indentation", () => {
		expect(shown("a\n  b\n", "a\nb\n")).toEqual([" a", "-  b", "+b"]);
	});

	it("gives every line of both sides once, whatever they are", () => {
		const texts = ["", "a", "a\nb", "b\na\nb", "c\na\nc\nb", "b\nb\nb"];
		for (const before of texts) {
			for (const after of texts) {
				const lines = diffLines(before, after);
				if (!lines) {
					expect(before).toBe(after);
					continue;
				}
				const side = (sign: string) =>
					lines.filter((line) => line.sign === " " || line.sign === sign).map(({ text }) => text);
				expect(side("-").join("\n")).toBe(before);
				expect(side("+").join("\n")).toBe(after);
			}
		}
	});
});

describe("entryAt", () => {
	const text = "# top\n- func: f()\n  tags: core\n\n# about g\n- func: g()\n  variants: function\n";

	it("is the entry around the line, without what belongs to the next", () => {
		for (const line of [2, 3]) expect(entryAt(text, line)).toBe("- func: f()\n  tags: core\n");
		expect(entryAt(text, 7)).toBe("- func: g()\n  variants: function\n");
	});

	it("is nothing before the first entry, and the last one beyond the end", () => {
		expect(entryAt(text, 1)).toBeUndefined();
		expect(entryAt(text, 99)).toBe("- func: g()\n  variants: function\n");
	});
});
