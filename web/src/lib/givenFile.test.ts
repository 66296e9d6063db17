import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromFile, holdsFile, MOST, toFile } from "./givenFile.ts";

describe("a given file in an address", () => {
	it("comes back as it was", async () => {
		const file = { name: "acme", text: "backend: XLA\nsupported:\n- add.Tensor # ü\n" };
		const fragment = await toFile(file);
		assert.ok(typeof fragment === "string" && /^file=[\w-]+$/.test(fragment));
		assert.ok(holdsFile(`#${fragment}`));
		assert.deepEqual(await fromFile(`#${fragment}`), file);
		assert.deepEqual(await fromFile(fragment), file);
	});

	it("is nothing where the fragment holds none or a broken one", async () => {
		for (const fragment of ["", "#", "sides=abc", "file=", "file=!!", "file=AAAA"]) {
			assert.equal(await fromFile(fragment), undefined, fragment);
		}
	});

	it("is refused where it is too long", async () => {
		const letters = Array.from({ length: 120_000 }, (_, at) => ((at * 7919 + ((at * at) % 8191)) % 89) + 33);
		const text = String.fromCharCode(...letters.slice(0, 60_000)) + String.fromCharCode(...letters.slice(60_000));
		const kept = await toFile({ name: "long", text });
		assert.ok(typeof kept === "string" || kept.bytes > MOST);
	});
});
