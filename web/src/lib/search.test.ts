import { describe, expect, it } from "vitest";
import { flag, list, oneOf, parse, stringify, text, whole } from "./search";

describe("search parameters", () => {
	it("give one address for one state, readable where it may be", () => {
		expect(stringify({ with: "CPU:a,MPS", key: "MPS", q: undefined, tag: "" })).toBe(
			"?key=MPS&with=CPU:a,MPS",
		);
		expect(stringify({})).toBe("");
	});

	it("come back as they were", () => {
		const search = { q: "a b&c=d#e", key: "acme::x", other: "<b>" };
		expect(parse(stringify(search).slice(1))).toEqual(search);
	});

	it("are left aside where they mean nothing", () => {
		const raw = { kind: "nonsense", structured: "maybe", n: "1e3", q: "" };
		expect(oneOf(raw, "kind", ["out"] as const)).toBeUndefined();
		expect(flag(raw, "structured")).toBeUndefined();
		expect(whole(raw, "n", 0, 10)).toBeUndefined();
		expect(text(raw, "q")).toBeUndefined();
		expect(list(",a,,b")).toEqual(["a", "b"]);
	});
});
