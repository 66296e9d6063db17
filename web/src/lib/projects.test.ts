import { describe, expect, it } from "vitest";
import { bySize, preferred } from "./projects";

const known = (...names: [string, number][]) =>
	names.map(([name, revisions]) => ({ name, revisions }));

describe("the project where an address names none", () => {
	it("is the one that was last looked at, while it is there", () => {
		const projects = known(["acme", 3], ["pytorch", 28]);
		expect(preferred(projects, "acme")).toBe("acme");
		expect(preferred(projects, "gone")).toBe("pytorch");
	});

	it("has revisions, if any has", () => {
		expect(preferred(known(["acme", 0], ["b", 1], ["pytorch", 0]), "acme")).toBe("b");
		expect(preferred(known(["acme", 0], ["b", 0]), "b")).toBe("b");
	});

	it("is pytorch, else the one with most revisions, the first of equals", () => {
		expect(preferred(known(["acme", 90], ["pytorch", 1]), undefined)).toBe("pytorch");
		expect(preferred(known(["a", 1], ["b", 7], ["c", 7]), undefined)).toBe("b");
		expect(preferred([], "acme")).toBeUndefined();
	});
});

describe("projects", () => {
	it("come by size, then by age, and the empty ones last", () => {
		const at = (name: string, revisions: number, created_at: string) => ({ name, revisions, created_at });
		const all = [at("a", 0, "2026-09"), at("b", 1, "2026-01"), at("c", 1, "2026-02"), at("d", 28, "2025-01")];
		expect(bySize(all).map(({ name }) => name)).toEqual(["d", "c", "b", "a"]);
	});
});
