import { describe, expect, it } from "vitest";
import { aliasSlots, tokenize } from "./schema";

const kinds = (schema: string) => tokenize(schema).map((token) => `${token.kind}:${token.text}`);

describe("tokenize", () => {
	it("sets arguments, defaults and alias sets apart", () => {
		expect(kinds("add_.Tensor(Tensor(a!) self, *, Scalar alpha=1) -> Tensor(a!)")).toEqual([
			"name:add_.Tensor",
			"punctuation:(",
			"type:Tensor",
			"alias:(a!)",
			"punctuation: ",
			"argument:self",
			"punctuation:, *, ",
			"type:Scalar",
			"punctuation: ",
			"argument:alpha",
			"punctuation:=",
			"default:1",
			"punctuation:) -> ",
			"type:Tensor",
			"alias:(a!)",
		]);
	});

	it("loses no text, whatever the text", () => {
		for (const schema of [
			"split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
			'x(int[2] a=[1, 2], str b="(a!), -> ", Tensor(a|b)? c=None) -> (Tensor x, int[] y)',
			"<script>alert(1)</script>(((",
			"",
			"no parenthesis",
			"f(Tensor(",
		]) {
			expect(
				tokenize(schema)
					.map((token) => token.text)
					.join(""),
			).toBe(schema);
		}
	});

	it("gives each alias set a slot", () => {
		const slots = aliasSlots(tokenize("f(Tensor(a!) x, Tensor(b|c) y) -> Tensor(a!)"));
		expect([...slots]).toEqual([
			["a", 0],
			["b", 1],
			["c", 2],
		]);
	});
});
