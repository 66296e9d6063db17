import { describe, expect, it } from "vitest";
import { breaks, stepsByPlace } from "./change";

const place = (label: string, revision = `sha256:${label}`) => ({
	revision,
	label,
	date: null,
	commit: null,
});

const point = (label: string, before?: string, breaking = 0, revision?: string) => ({
	...place(label, revision),
	operators: 1,
	generated: 0,
	composite_implicit: 0,
	composite_explicit: 0,
	structured: 0,
	core: 0,
	coverage: [],
	way: null,
	step:
		before === undefined
			? null
			: { since: place(before), breaking, forward_breaking: 0, dangerous: 0, other: 0 },
});

describe("steps by place", () => {
	it("are those of each name, also where names share their files", () => {
		const steps = stepsByPlace([
			point("2.0.0"),
			point("2.1.0", "2.0.0", 7),
			point("2.1.1", "2.1.0", 0, "sha256:2.1.0"),
		]);
		const told = [...steps].map(([key, { since, to, breaking }]) => [
			key,
			since.label,
			to.label,
			breaking,
		]);
		expect(told).toEqual([
			["2.1.0", "2.0.0", "2.1.0", 7],
			["2.1.1", "2.1.0", "2.1.1", 0],
		]);
	});
});

describe("what breaks", () => {
	const said = (breaking: number, forward_breaking: number, added?: number) =>
		breaks(
			{ since: place("a"), to: place("b"), breaking, forward_breaking, dangerous: 3, other: 1 },
			added,
		);

	it("is said in words", () => {
		expect(said(0, 0)).toBe("no breaking changes");
		expect(said(0, 0, 61)).toBe("adds 61 errors");
		expect(said(2, 0, 1)).toBe("2 breaking changes, adds 1 error");
		expect(said(0, 0, -3)).toBe("no breaking changes");
		expect(said(1, 0)).toBe("1 breaking change");
		expect(said(1204, 3)).toBe("1,204 breaking, 3 forward-breaking changes");
		expect(said(0, 2)).toBe("2 forward-breaking changes");
	});
});
