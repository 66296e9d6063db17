import { describe, expect, it } from "vitest";
import { diffWords, type Piece } from "./worddiff";

const marked = (pieces: readonly Piece[]) =>
	pieces.map(({ text, changed }) => (changed ? `[${text.trimEnd()}]` : text)).join("");
const whole = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join("");

describe("what differs, word by word", () => {
	it("marks the word and leaves the rest", () => {
		const diff = diffWords(
			"f(Tensor self, int dim) -> Tensor",
			"f(Tensor self, int axis) -> Tensor",
		);
		expect(marked(diff.old)).toBe("f(Tensor self, int [dim]) -> Tensor");
		expect(marked(diff.new)).toBe("f(Tensor self, int [axis]) -> Tensor");
	});

	it("marks what was put in on one side alone", () => {
		const diff = diffWords(
			"f(Tensor self) -> Tensor",
			"f(Tensor self, *, bool flag=False) -> Tensor",
		);
		expect(marked(diff.old)).toBe("f(Tensor self) -> Tensor");
		expect(diff.new.filter(({ changed }) => changed).map(({ text }) => text)).toEqual([
			", *, bool flag=False",
		]);
	});

	it("marks annotations inside of types", () => {
		const diff = diffWords("f(Tensor(a!) self) -> Tensor(a!)", "f(Tensor self) -> Tensor(a!)");
		expect(diff.old.filter(({ changed }) => changed).map(({ text }) => text.trim())).toEqual([
			"(a!)",
		]);
	});

	it("sees no change in white space", () => {
		const diff = diffWords("a,  b", "a, b");
		expect([...diff.old, ...diff.new].some(({ changed }) => changed)).toBe(false);
	});

	it("marks everything where nothing is common, and nothing of an empty text", () => {
		expect(diffWords("x", "y")).toEqual({
			old: [{ text: "x", changed: true }],
			new: [{ text: "y", changed: true }],
		});
		expect(diffWords("", "y").old).toEqual([]);
	});

	it("keeps both texts whole, very long and strange ones too", () => {
		const strange = "∑𝒳 é \t'<b>' \u0000 ".repeat(3);
		const long = Array.from({ length: 3000 }, (_, at) => `w${at % 7}`).join(" ");
		for (const [a, b] of [
			[strange, "x"],
			[long, `${long} tail`],
			[long, [...long].reverse().join("")],
		] as const) {
			const diff = diffWords(a, b);
			expect(whole(diff.old)).toBe(a);
			expect(whole(diff.new)).toBe(b);
		}
	});
});
