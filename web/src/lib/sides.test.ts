import { describe, expect, it } from "vitest";
import { packed } from "./fragment";
import { fromSides, MOST, markIn, sidesIn, toSides, withMark } from "./sides";

const SIDES = { base: "- func: f() -> ()\n", head: "∑ <img src=x onerror=alert(1)> & # %\n" };

/** A text that deflating does not shorten by much. */
function noise(length: number): string {
	let seed = 7;
	const letter = () => {
		seed = (seed * 48271) % 0x7fffffff;
		return String.fromCharCode(33 + (seed % 94));
	};
	return Array.from({ length }, letter).join("");
}

describe("two texts in a fragment", () => {
	it("come back as they were", async () => {
		for (const sides of [SIDES, { base: "", head: "" }]) {
			const fragment = await toSides(sides);
			expect(fragment).toMatch(/^sides=[\w-]+$/);
			expect(await fromSides(sidesIn(`#${fragment}`))).toEqual(sides);
		}
	});

	it("are refused where they are too long, however much they are", async () => {
		const long = await toSides({ base: noise(MOST), head: noise(MOST) });
		expect(long).toEqual({ bytes: expect.any(Number) });
		expect((long as { bytes: number }).bytes).toBeGreaterThan(MOST);
		const even = "- func: f(Tensor self) -> Tensor\n".repeat(50_000);
		expect(await toSides({ base: even, head: even })).toMatch(/^sides=/);
	});

	it("are nothing where the fragment is broken, of another kind, or stands for far too much", async () => {
		const bomb = await packed(JSON.stringify(["a".repeat(9 << 20), ""]));
		expect(bomb.bytes).toBeLessThan(MOST);
		const other = await packed('{"base": "", "head": ""}');
		const numbers = await packed("[1, 2]");
		const cut = ((await toSides(SIDES)) as string).slice(0, -9);
		const written = [bomb, other, numbers].map((one) => `sides=${one.written}`);
		for (const part of ["", "text=AAAA", "sides=", "sides=%%%", cut, ...written]) {
			expect(await fromSides(part)).toBeUndefined();
		}
	});
});

describe("the change that a fragment marks", () => {
	it("stands alone, or beside the texts", () => {
		expect(markIn("#0123456789abcdef")).toBe("0123456789abcdef");
		expect(withMark("old", "new")).toBe("new");
		const both = withMark("#sides=AAAA&change=old", "new");
		expect(both).toBe("sides=AAAA&change=new");
		expect([markIn(both), sidesIn(both)]).toEqual(["new", "sides=AAAA"]);
		expect([markIn("sides=AAAA"), markIn("")]).toEqual(["", ""]);
	});
});
