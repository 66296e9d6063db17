import { describe, expect, it } from "vitest";
import { type Support, supportWords, verdictAt, verdictOf } from "./verdicts";

const support = (verdict: string, needs: string[] = [], because: string | null = null): Support => ({
	verdict,
	needs,
	works: "unknown",
	because,
	settled_by: null,
	known_from: null,
	through: [],
	rarely_needs: [],
	unclaimed: null,
	chain: null,
	belongs_to: null,
});

describe("verdicts", () => {
	it("are said with what is missing", () => {
		const words = [
			support("runs"),
			support("fails", ["add.out"]),
			support("fails", ["add.Tensor"]),
			support("partly", ["a", "b", "c", "d", "e"]),
			support("unknown", [], "what it calls was not measured"),
			support("unknown", [], "out of tree: give its file"),
		].map((of) => supportWords(of, "add.Tensor"));
		expect(words).toEqual([
			"runs",
			"fails: needs add.out",
			"fails: no kernel",
			"partly: needs a, b, c and 2 more",
			"unknown (what it calls was not measured)",
			"unknown (out of tree: give its file)",
		]);
	});

	it("that are not known are unknown", () => {
		expect(verdictAt("r").name).toBe("runs");
		expect(verdictAt("?").name).toBe("unknown");
		expect(verdictOf("new word").name).toBe("unknown");
	});
});
