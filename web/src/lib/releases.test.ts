import { describe, expect, it } from "vitest";
import { spanWords } from "./releases";

const span = (first: string, last: string, verdict: string) => ({
	first,
	last,
	verdict,
	works: "yes",
});

describe("releases", () => {
	it("says what was, and what holds since when", () => {
		const before = span("2.0.0", "2.13.1", "fails");
		const now = span("2.14.0", "2.15.0", "runs");
		expect(spanWords([before, now])).toBe("2.0.0 to 2.13.1 fails; since 2.14.0 runs");
		expect(spanWords([now])).toBe("2.14.0 to 2.15.0 runs");
		expect(spanWords([span("2.9.0", "2.9.0", "partly"), now])).toBe("2.9.0 partly; since 2.14.0 runs");
		expect(spanWords([])).toBe("");
	});
});
