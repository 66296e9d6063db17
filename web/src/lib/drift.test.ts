import { expect, test } from "vitest";
import { byKind, type DriftItem, saysOf } from "./drift";

const item = (change: Partial<DriftItem>): DriftItem => ({
	kind: "absent",
	operator: "abs.out",
	key: "CPU",
	expected: "declared",
	expected_file: null,
	found_file: null,
	found_fallthrough: null,
	...change,
});

test("a difference says what is there instead", () => {
	expect(saysOf(item({}))).toBe("CPU: declared");
	const other = item({ kind: "other-kernel", found_file: "mine.cpp", found_fallthrough: true });
	expect(saysOf(other)).toBe("CPU: a fallthrough of mine.cpp instead of declared");
	expect(saysOf(item({ kind: "undeclared" }))).toBe("CPU: from an unknown file");
	expect(saysOf(item({ kind: "operator-absent", key: null }))).toBe("");
});

test("differences are listed by kind, whole operators first", () => {
	const kinds = byKind([item({}), item({ kind: "operator-absent" }), item({})]);
	expect(kinds.map(([title, found]) => [title, found.length])).toEqual([
		["Operators that the process does not have", 1],
		["Registrations that the process does not have", 2],
	]);
});
