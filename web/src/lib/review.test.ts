import { describe, expect, it } from "vitest";
import type { Change, Comparison } from "./comparison";
import {
	alike,
	areReleases,
	byFile,
	exceptionsOf,
	filtered,
	type Reviewed,
	reviewOf,
	unviewedFrom,
} from "./review";

const change = (fingerprint: string, rest: Partial<Change> = {}): Change =>
	({ fingerprint, rule: "tags-gained", level: "info", operator: "f", message: "m", ...rest }) as Change;

const finding = (operator: string | null, severity = "warning") =>
	({ operator, severity, rule: "r", message: "m" }) as Comparison["findings"]["new"][number];

const cause = (title: string, level: string, operators: string[], changes: string[], rest: string[] = []) => ({
	title,
	level,
	operators,
	changes,
	consequences: rest,
});

const comparison = (parts: Partial<Comparison>): Comparison =>
	({ changes: [], causes: [], new_operators: [], findings: { new: [] }, ...parts }) as never;

describe("reviewOf", () => {
	it("sorts what to act on first, errors before all, then the worse and the larger", () => {
		const changes = ["1", "2", "3", "4", "5"].map((print) => change(print));
		changes[4] = change("5", { rule: "operator-added", operator: "new" });
		const { causes } = reviewOf(
			comparison({
				changes,
				causes: [
					cause("rest", "info", ["a"], ["1"]),
					cause("danger", "dangerous", ["b"], ["2"]),
					cause("breaks", "breaking", ["c"], ["3"]),
					cause("errs", "none", ["d"], ["4"]),
					cause("new", "info", ["new"], ["5"]),
				],
				findings: { new: [finding("d", "error")] } as Comparison["findings"],
			}),
		);
		expect(causes.map(({ title, step }) => [title, step])).toEqual([
			["errs", "act"],
			["breaks", "act"],
			["danger", "look"],
			["new", "new"],
			["rest", "rest"],
		]);
	});

	it("gives a finding to the cause of its operator, else of its base name, else to nobody", () => {
		const { causes, loose } = reviewOf(
			comparison({
				changes: [change("1"), change("2")],
				causes: [cause("f", "info", ["f"], ["1"]), cause("g", "info", ["g.Tensor"], ["2"])],
				findings: {
					new: [finding("g.out"), finding("f"), finding("h"), finding(null), finding("f", "info")],
				} as Comparison["findings"],
			}),
		);
		const found = Object.fromEntries(causes.map(({ title, findings }) => [title, findings]));
		expect(found.f?.map(({ operator }) => operator)).toEqual(["f"]);
		expect(found.g?.map(({ operator }) => operator)).toEqual(["g.out"]);
		expect(loose.map(({ operator }) => operator)).toEqual(["h", null]);
	});

	it("loses no change, and sets those about exceptions apart", () => {
		const { causes, aboutExceptions } = reviewOf(
			comparison({
				changes: [
					change("1"),
					change("2"),
					change("3", { rule: "compound" }),
					change("4", { rule: "allow-expired" }),
					change("5", { rule: "allow-listed" }),
				],
				causes: [cause("f", "info", ["f"], ["1"], ["3"])],
			}),
		);
		expect(causes.flatMap(({ edits }) => edits.map(({ fingerprint }) => fingerprint))).toEqual([
			"1",
			"2",
		]);
		expect(aboutExceptions.map(({ fingerprint }) => fingerprint)).toEqual(["4"]);
	});
});

it("a cause keeps the changes that pass filters, or goes", () => {
	const [one, two] = [change("1"), change("2")];
	const [only] = reviewOf(
		comparison({ changes: [one, two], causes: [cause("f", "info", ["f"], ["1"], ["2"])] }),
	).causes;
	if (!only) throw new Error("the review has no causes");
	expect(filtered(only, new Set([two]))).toMatchObject({ edits: [], consequences: [two] });
	expect(filtered(only, new Set())).toBeUndefined();
});

it("changes with the same words are one", () => {
	const all = [change("1"), change("2", { message: "other" }), change("3")];
	expect(alike(all).map(({ all }) => all.length)).toEqual([2, 1]);
});

it("exceptions are counted by the changes that they match", () => {
	const exception = { id: "x", holds: true, status: "active", reason: "", owner: null, until: "2.16" };
	const all = [change("1", { exception }), change("2", { exception }), change("3")];
	expect(exceptionsOf(all)).toEqual([{ exception, changes: 2 }]);
});

describe("the way through a review", () => {
	const causes = ["a", "b", "c", "d"].map((id, at) => ({
		id,
		edits: [{ file: at === 2 ? "tags.yaml" : "native_functions.yaml" }],
		consequences: [],
	})) as unknown as Reviewed[];
	const next = (viewed: string[], from: string | undefined, by = 1) =>
		unviewedFrom(causes, new Set(viewed), from, by)?.id;

	it("goes to the next that is not viewed, and around the end", () => {
		expect(next([], undefined)).toBe("a");
		expect(next(["b"], "a")).toBe("c");
		expect(next(["d"], "c")).toBe("a");
		expect(next(["a", "b", "c"], "d")).toBeUndefined();
	});

	it("goes back in the same way", () => {
		expect(next([], "c", -1)).toBe("b");
		expect(next(["a"], "b", -1)).toBe("d");
		expect(next([], undefined, -1)).toBe("d");
	});

	it("is by file, each in order", () => {
		const files = byFile(causes).map(({ file, causes }) => [file, causes.map(({ id }) => id)]);
		expect(files).toEqual([
			["native_functions.yaml", ["a", "b", "d"]],
			["tags.yaml", ["c"]],
		]);
	});

	it("knows releases by their labels", () => {
		const of = (base: string | null, head: string | null) =>
			areReleases({ base: { label: base }, head: { label: head } } as Comparison);
		expect(of("2.14.1", "2.15.0")).toBe(true);
		expect(of("v0.1", "v0.2")).toBe(true);
		expect(of("2.14.1", null)).toBe(false);
		expect(of("base", "2.15.0")).toBe(false);
	});
});
