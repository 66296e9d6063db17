// How every page looks: accessible and fitting in both themes, from a phone to a wide screen, and
// never more than a browser carries with ease.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { everyLook, settled, site, skip, weigh } from "./harness.mjs";
import { importCommits } from "./longHistory.mjs";
import { importBackend, importLibrary } from "./otherProjects.mjs";
import { PAGES, routedPages } from "./pages.mjs";
import { addRuns } from "./probeRuns.mjs";

/** Commits of the project that has some. */
const COMMITS = 20;
const MOST_NODES = 3000;
/** In bytes: the matrix of a release is part of what a page holds. */
const MOST_HEAP = 60e6;

describe("looks", { skip, concurrency: false }, () => {
	const web = site({
		prepare: (database, dir) => {
			importLibrary(database, dir);
			importBackend(database, dir);
			importCommits(database, dir, COMMITS);
		},
	});

	before(() => (skip ? undefined : addRuns(web.base)));

	it("every page of every route is in the list", () => {
		const listed = new Set(PAGES.map(({ page }) => page));
		for (const [file, pages] of routedPages()) {
			assert.ok(pages.length > 0 || file === "root.ts", `${file} leads to no page that is known`);
			for (const page of pages) assert.ok(listed.has(page), `pages.mjs has no ${page} of ${file}`);
		}
	});

	for (const { page: name, state, path, act, fine } of PAGES) {
		it(`${name}: ${state}`, async (t) => {
			const page = await web.open(t, path, { fine });
			await settled(page);
			if (act) {
				await act(page);
				await settled(page);
			}
			const { nodes, heap } = await weigh(page);
			t.diagnostic(`${nodes} nodes, ${(heap / 1e6).toFixed(1)} MB of heap`);
			assert.ok(nodes <= MOST_NODES, `${nodes} nodes`);
			assert.ok(heap <= MOST_HEAP, `${heap} bytes of heap`);
			await everyLook(page, `${name}, ${state}`);
		});
	}
});
