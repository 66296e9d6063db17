import { describe, expect, it } from "vitest";
import { fromFragment, toFragment } from "./fragment";

describe("a text in a fragment", () => {
	it("comes back as it was", async () => {
		for (const text of ["- func: a() -> ()\n", "∑𝒳é \"'<>&#?% \t\n", "x".repeat(100_000)]) {
			const fragment = await toFragment(text);
			expect(fragment).toMatch(/^text=[\w-]+$/);
			expect(await fromFragment(`#${fragment}`)).toBe(text);
		}
	});

	it("is short", async () => {
		expect((await toFragment("- func: a() -> ()\n".repeat(1000))).length).toBeLessThan(300);
	});

	it("is nothing where there is none, or where it is broken", async () => {
		for (const fragment of ["", "#", "#L12", "#text=", "#text=%%%", "#text=AAAA"]) {
			expect(await fromFragment(fragment)).toBeUndefined();
		}
		expect(await toFragment("")).toBe("");
	});
});
