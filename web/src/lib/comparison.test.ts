import { describe, expect, it } from "vitest";
import {
	type Change,
	type DispatchChange,
	disagreement,
	facet,
	grouped,
	keysByOperator,
	sieve,
	tableSieve,
	turnOf,
	turnsByKey,
} from "./comparison";

const change = (
	rule: string,
	level: string,
	operator: string,
	rest: Partial<Change> = {},
): Change => ({
	rule,
	level,
	strict_level: level,
	operator,
	argument: null,
	keys: [],
	names: [],
	message: `${operator} ${rule}`,
	why: "",
	breaks: [],
	risks: [],
	old: null,
	new: null,
	file: "native_functions.yaml",
	base_span: null,
	head_span: null,
	base_mark: null,
	head_mark: null,
	help: null,
	accept: "",
	also: [],
	failing_callers: [],
	confidence: null,
	exception: null,
	fingerprint: `${rule} ${operator}`,
	...rest,
});
const STANDINGS: Record<string, string> = { kernel: "own", missing: "fails" };
const cell = (reason: string) => ({
	reason,
	source_key: null,
	kernel: null,
	verdict: null,
	standing: STANDINGS[reason] ?? "inherited",
	because: null,
});
const cells = (
	operator: string,
	keys: string[],
	before: string,
	after: string,
): DispatchChange => ({
	operator,
	keys,
	before: cell(before),
	after: cell(after),
	cause: null,
});
const holds = { id: "1", holds: true, status: "active", reason: "", owner: null, until: null };

const CHANGES = [
	change("compound", "breaking", "f"),
	change("argument-renamed", "breaking", "f", { breaks: ["python-keyword"] }),
	change("default-changed", "breaking", "f", { breaks: ["python-keyword"], risks: ["cpp"] }),
	change("tag-added", "info", "f"),
	change("operator-removed", "breaking", "x::g", { exception: holds }),
	change("kernel-removed", "dangerous", "h", { keys: ["MPS"] }),
	change("entry-moved", "none", "h"),
];
const TABLES = [
	cells("f", ["CPU", "MPS"], "kernel", "default backend kernel"),
	cells("h", ["MPS"], "kernel", "missing"),
	cells("x::k", ["CUDA"], "missing", "math kernel"),
];
const touched = keysByOperator(TABLES);

describe("changes", () => {
	it("are grouped the worst first, by operator; compound ones are headings", () => {
		const groups = grouped(CHANGES, new Map());
		expect(groups.map(({ group, count }) => [group, count])).toEqual([
			["breaking", 2],
			["dangerous", 1],
			["info", 1],
			["accepted", 1],
			["none", 1],
		]);
		const card = groups[0]?.cards[0];
		expect(card?.compound?.rule).toBe("compound");
		expect(card?.changes.map(({ rule }) => rule)).toEqual(["argument-renamed", "default-changed"]);
	});

	it("leave no heading over nothing", () => {
		expect(grouped([change("compound", "breaking", "f")], new Map())).toEqual([]);
	});

	it("pass a backend by their own keys or by their operator's table", () => {
		const rules = CHANGES.filter(sieve({ backend: "MPS" }, touched));
		expect(rules.map(({ operator }) => operator)).toEqual(["f", "f", "f", "f", "h", "h"]);
		expect(CHANGES.some(sieve({ backend: "CUDA" }, touched))).toBe(false);
	});

	it("pass by level, audience, namespace and words", () => {
		const count = (filter: Parameters<typeof sieve>[0]) =>
			CHANGES.filter(sieve(filter, touched)).length;
		expect(count({ level: "accepted" })).toBe(1);
		expect(count({ audience: "cpp" })).toBe(1);
		expect(count({ namespace: "x" })).toBe(1);
		expect(count({ q: "REMOVED x::g" })).toBe(1);
		expect(count({})).toBe(CHANGES.length);
	});

	it("are counted by the other filters, compound ones not at all", () => {
		expect(facet(CHANGES, { level: "info", namespace: "aten" }, "level", touched)).toEqual(
			new Map([
				["breaking", 2],
				["info", 1],
				["dangerous", 1],
				["none", 1],
			]),
		);
		expect(facet(CHANGES, {}, "audience", touched)).toEqual(
			new Map([
				["python-keyword", 2],
				["cpp", 1],
			]),
		);
		expect(facet(CHANGES, { level: "breaking" }, "backend", touched)).toEqual(
			new Map([
				["CPU", 2],
				["MPS", 2],
			]),
		);
	});
});

describe("torch's verdict", () => {
	const card = (group: "breaking" | "info", backward: boolean) => ({
		operator: "f",
		group,
		compound: undefined,
		changes: [],
		compared: {
			name: "f",
			generated: false,
			old: "",
			new: "",
			official: {
				backward_compatible: backward,
				forward_compatible: true,
				backward_reason: null,
				forward_reason: "",
			},
		},
	});
	it("is told where it disagrees, and only there", () => {
		expect(disagreement(card("breaking", true))).toContain("compatible");
		expect(disagreement(card("info", false))).toContain("incompatible");
		expect(disagreement(card("breaking", false))).toBeUndefined();
		expect(disagreement(card("info", true))).toBeUndefined();
	});
});

describe("dispatch changes", () => {
	it("turn from what serves to what serves", () => {
		expect(TABLES.map(turnOf)).toEqual(["to-composite", "lost", "gained"]);
		expect(turnOf(cells("f", [], "kernel", "kernel"))).toBe("other");
		expect(turnOf(cells("f", [], "math kernel", "kernel"))).toBe("to-kernel");
	});

	it("are counted by key, the most lost first", () => {
		expect(turnsByKey(TABLES).map(({ key, total, turns }) => [key, total, turns.lost])).toEqual([
			["MPS", 2, 1],
			["CPU", 1, 0],
			["CUDA", 1, 0],
		]);
	});

	it("pass by key, namespace and operator", () => {
		const names = (filter: Parameters<typeof tableSieve>[0]) =>
			TABLES.filter(tableSieve(filter)).map(({ operator }) => operator);
		expect(names({ backend: "MPS" })).toEqual(["f", "h"]);
		expect(names({ namespace: "x", q: "K" })).toEqual(["x::k"]);
	});
});
