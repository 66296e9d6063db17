import { describe, expect, it } from "vitest";
import { keepViewed, viewedOf } from "./viewed";

function storage(): Storage {
	const kept = new Map<string, string>();
	return {
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, value: string) => void kept.set(key, value),
	} as Storage;
}

describe("viewed", () => {
	it("is kept for each pair of digests", () => {
		const place = storage();
		keepViewed(place, "a...b", new Set(["1", "2"]));
		keepViewed(place, "b...c", new Set(["3"]));
		expect([...viewedOf(place, "a...b")]).toEqual(["1", "2"]);
		expect([...viewedOf(place, "c...d")]).toEqual([]);
		keepViewed(place, "a...b", new Set());
		expect([...viewedOf(place, "a...b")]).toEqual([]);
	});

	it("forgets the comparison looked at longest ago", () => {
		const place = storage();
		for (let at = 0; at < 60; at += 1) keepViewed(place, `${at}...`, new Set(["x"]));
		expect(viewedOf(place, "9...").size).toBe(0);
		expect(viewedOf(place, "10...").size).toBe(1);
	});

	it("takes what it did not write for nothing", () => {
		const place = storage();
		for (const text of ["", "no JSON", "null", "[]", '{"a...b":1}']) {
			place.setItem("opatlas.viewed", text);
			expect(viewedOf(place, "a...b").size).toBe(0);
		}
	});
});
