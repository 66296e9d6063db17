import { describe, expect, it } from "vitest";
import { fromFile, holdsFile, MOST, toFile } from "./givenFile";

describe("a given file in an address", () => {
	it("comes back as it was", async () => {
		const file = { name: "acme", text: "backend: XLA\nsupported:\n- add.Tensor # ü\n" };
		const fragment = await toFile(file);
		if (typeof fragment !== "string") throw new Error("too long");
		expect(fragment).toMatch(/^file=[\w-]+$/);
		expect(holdsFile(`#${fragment}`)).toBe(true);
		expect(await fromFile(`#${fragment}`)).toEqual(file);
		expect(await fromFile(fragment)).toEqual(file);
	});

	it("is nothing where the fragment holds none or a broken one", async () => {
		for (const fragment of ["", "#", "sides=abc", "file=", "file=!!", "file=AAAA"]) {
			expect(await fromFile(fragment), fragment).toBe(undefined);
		}
	});

	it("is refused where it is too long", async () => {
		let seed = 1;
		const letters = Array.from({ length: 60_000 }, () => {
			seed = (seed * 48_271) % 2_147_483_647;
			return 33 + (seed % 64);
		});
		const kept = await toFile({ name: "long", text: String.fromCharCode(...letters) });
		expect(typeof kept).toBe("object");
		expect((kept as { bytes: number }).bytes).toBeGreaterThan(MOST);
	});
});
