import { describe, expect, it } from "vitest";
import type { MatrixView } from "../api/queries";
import { fateAt, fatesOf, isAsked, sinceWords } from "./ways";

const operators = [{ ways: 0 }, { ways: 1 }] as MatrixView["operators"];
const view = {
	ways: {
		ways: [
			{ way: "vmap", title: "vmap" },
			{ way: "meta", title: "Meta device" },
		],
		rows: ["01", "1 "],
		legend: [
			{ letter: "0", fate: "rule", works: "yes", missing: false },
			{ letter: "1", fate: "none", works: "no", missing: true },
		],
	},
	operators,
} as unknown as MatrixView;
const [first, second] = operators as [MatrixView["operators"][0], MatrixView["operators"][0]];

describe("ways", () => {
	it("are characters of rows, a blank where they do not apply", () => {
		expect(fateAt(view, first, 0)?.fate).toBe("rule");
		expect(fateAt(view, second, 0)?.fate).toBe("none");
		expect(fateAt(view, second, 1)).toBeUndefined();
	});

	it("are asked for by what is missing, or by a fate", () => {
		expect(isAsked(view, {})).toBeUndefined();
		const asked = (search: { way: string; fate?: string }) =>
			operators.filter(isAsked(view, search) ?? (() => true));
		expect(asked({ way: "vmap" })).toEqual([second]);
		expect(asked({ way: "vmap", fate: "rule" })).toEqual([first]);
		expect(asked({ way: "meta" })).toEqual([first]);
		expect(asked({ way: "no such way" })).toEqual([]);
	});

	it("offer the fates that occur", () => {
		expect(fatesOf(view, "meta")).toEqual(["none"]);
	});

	it("say since when, or what they are known from", () => {
		expect(sinceWords({ since: "2.6", known_from: "recorded", release: "2.15" })).toBe("since 2.6");
		expect(sinceWords({ since: null, known_from: "recorded", release: "2.15" })).toBe("in 2.15");
		expect(sinceWords({ since: null, known_from: "entry", release: null })).toBe("by the entry");
		expect(sinceWords({ since: null, known_from: "unknown", release: null })).toBe("");
	});
});
