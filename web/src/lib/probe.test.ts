import { expect, test } from "vitest";
import { outcomeWords } from "./probe";

test("outcomes are named, the most frequent first", () => {
	expect(outcomeWords({ error: 8, missing: 20, runs: 1600 })).toBe("1,600 runs, 20 missing, 8 error");
	expect(outcomeWords({})).toBe("");
});
