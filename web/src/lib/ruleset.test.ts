import { describe, expect, it } from "vitest";
import { type AnyRule, facet, sought, weightOf } from "./ruleset";

const validation = (id: string, family: string, severity: "error" | "warning"): AnyRule => ({
	kind: "validation",
	id,
	family,
	severity,
	stage: "entry",
	since: "2.0",
	until: null,
	what: `what ${id} finds`,
	why: "why",
	bad: { file: "native_functions.yaml", text: "" },
	good: { file: "native_functions.yaml", text: "" },
	source: "",
});
const change = (id: string, family: string, level: "breaking" | "max"): AnyRule => ({
	kind: "compatibility",
	id,
	family,
	level,
	official_backward: "compatible",
	official_forward: "compatible",
	breaks: [],
	risks: [],
	what: "",
	why: "because it breaks",
	instead: null,
	example: null,
	source: "",
});
const RULES = [
	validation("out-return-matches", "returns", "error"),
	validation("out-argument-order", "out", "warning"),
	change("return-type-changed", "return", "breaking"),
	change("compound", "schema", "max"),
];

describe("rules", () => {
	it("are found by words in id, what and why, the best fitting id first", () => {
		const ids = (q: string) => sought(RULES, { q }).map((rule) => rule.id);
		expect(ids("return")).toEqual(["return-type-changed", "out-return-matches"]);
		expect(ids("breaks because")).toEqual(["return-type-changed", "compound"]);
		expect(ids("nothing-of-this")).toEqual([]);
	});

	it("are counted by the other filters", () => {
		expect(facet(RULES, { kind: "validation", family: "out" }, "family")).toEqual(
			new Map([
				["returns", 1],
				["out", 1],
			]),
		);
		expect(facet(RULES, { weight: "error" }, "kind")).toEqual(new Map([["validation", 1]]));
	});

	it("that stand for others weigh as these do", () => {
		expect(RULES.map(weightOf)).toEqual(["error", "warning", "breaking", "max"]);
	});
});
