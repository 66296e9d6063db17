// Runs of the probe: the list, and a run next to the verdicts.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { counts, NEWEST, reads, settled, site, skip } from "./harness.mjs";
import { addRuns, BARE, RUN } from "./probeRuns.mjs";

describe("runs of the probe", { skip, concurrency: false }, () => {
	// Runs change the database, so that of other files stays without them.
	const web = site({ prepare: () => undefined });
	before(() => (skip ? undefined : addRuns(web.base)));
	const tests = (page) => page.getByRole("region", { name: "Tests" });

	it("are listed newest first, and lead to a page each", async (t) => {
		const page = await web.open(t, "/p/pytorch");
		await page.getByRole("link", { name: "Probe runs" }).click();
		const rows = page.getByRole("region", { name: "Runs" }).locator("tbody tr");
		await counts(rows, 2);
		await reads(rows.nth(0), new RegExp(`${RUN}\\s+${NEWEST}\\s+${NEWEST}\\s+mps\\s+1 of 1`));
		await reads(rows.nth(0), /1 crash/);
		await rows.nth(1).getByRole("link", { name: BARE }).click();
		await page.waitForURL("**/p/pytorch/probe/bare%2F1");
		await reads(page.getByRole("heading", { level: 1 }), /Probe run bare\/1/);
	});

	it("say what contradicts the verdicts, as the API does", async (t) => {
		const page = await web.open(t, `/p/pytorch/probe/${RUN}`);
		await settled(page);
		const url = `${web.base}/v1/projects/pytorch/probe/runs/${RUN}/verdicts`;
		const said = await (await fetch(url)).json();
		assert.deepEqual(said.counts, { yes: 1, no: 1, unknown: 3 });
		await reads(page.locator("main"), /Of 5 tests, 1 agree, 1 contradict the verdicts, and 3 are unknown/);
		await counts(tests(page).locator("tbody tr"), 1);
		await reads(tests(page), /abs\s+missing abs\.out\s+\S+\s+Decomposes\s+abs\s+Contradicts/);
		await page.getByRole("button", { name: "Unknown (3)" }).click();
		await page.waitForURL("**agrees=unknown");
		await reads(tests(page), /svd\s+crash\s+Unknown: the outcome says nothing about dispatch/);
		await tests(page).getByRole("link", { name: "mm", exact: true }).click();
		await page.waitForURL(/\/r\/sha256:[0-9a-f]+\/operators\/mm$/);
	});

	it("on a device without a known key predict nothing", async (t) => {
		const page = await web.open(t, `/p/pytorch/probe/${encodeURIComponent(BARE)}`);
		await reads(page.locator("main"), /The device bare has no dispatch key/);
		await reads(page.locator("main"), /Of 5 tests, 0 agree, 0 contradict the verdicts, and 5 are unknown/);
		await reads(page.locator("main"), /No test contradicts the verdicts/);
	});
});
