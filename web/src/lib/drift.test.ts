import assert from "node:assert/strict";
import { test } from "node:test";
import { byKind, type DriftItem, saysOf } from "./drift.ts";

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
	assert.equal(saysOf(item({})), "CPU: declared");
	const other = item({ kind: "other-kernel", found_file: "mine.cpp", found_fallthrough: true });
	assert.equal(saysOf(other), "CPU: a fallthrough of mine.cpp instead of declared");
	assert.equal(saysOf(item({ kind: "undeclared" })), "CPU: from an unknown file");
	assert.equal(saysOf(item({ kind: "operator-absent", key: null })), "");
});

test("differences are listed by kind, whole operators first", () => {
	const kinds = byKind([item({}), item({ kind: "operator-absent" }), item({})]);
	assert.deepEqual(
		kinds.map(([title, found]) => [title, found.length]),
		[
			["Operators that the process does not have", 1],
			["Registrations that the process does not have", 2],
		],
	);
});
