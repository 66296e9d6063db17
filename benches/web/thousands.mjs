// What pages cost in a project of 10,000 commits: when their content is there in a cold browser, how
// many elements they have, and what their scripts hold. Medians of several rounds, over the release
// build.
//
//   ROUNDS=9 COMMITS=10000 node --test --test-reporter=spec benches/web/thousands.mjs

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled, site, skip, watchRequests, weigh } from "../../tests/web/harness.mjs";
import { importCommits, LINE } from "../../tests/web/longHistory.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const COMMITS = Number(process.env.COMMITS ?? 10_000);
/** The longest that content may take, in milliseconds. */
const LONGEST = 1500;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

describe("pages of a project with thousands of commits", { skip }, () => {
	let last = "";
	const web = site({
		prepare: (database, dir) => {
			last = importCommits(database, dir, COMMITS);
		},
	});

	/** Each view: its address, what is done there, and what its content is. */
	const views = () => {
		const revision = `/p/${LINE}/r/${last}`;
		const options = (page) => page.getByRole("listbox").getByRole("option");
		const open = (name) => (page) => page.getByRole("combobox", { name, exact: true }).click();
		const cards = (page) => page.locator("main ol > li");
		return [
			["home", "/", cards],
			["project", `/p/${LINE}`, cards],
			["operators", `${revision}/operators`, (page) => page.getByRole("listitem")],
			["picker", `${revision}/operators`, options, open("Revision")],
			["chooser", `/compare?project=${LINE}`, options, open("Base (old)")],
			["trends", `/p/${LINE}/trends`, (page) => page.getByRole("row")],
			["history", `/p/${LINE}/operators/two/history`, (page) => page.getByRole("row")],
			[
				"search",
				`${revision}/operators`,
				(page) => page.getByRole("option", { name: /^commit/ }),
				async (page) => {
					await page.keyboard.press("Control+k");
					await page.getByRole("combobox", { name: "Search" }).fill(`#${COMMITS - 7})`);
				},
			],
		];
	};

	/** One cold visit; what is done there is timed on its own, once the page has its content. */
	async function visit([, path, content, act]) {
		const context = await web.browser.newContext({ viewport: { width: 1600, height: 900 } });
		const page = await context.newPage();
		watchRequests(page);
		let begun = performance.now();
		await page.goto(web.base + path);
		if (act) {
			await settled(page);
			begun = performance.now();
			await act(page);
		}
		await content(page).first().waitFor();
		const complete = performance.now() - begun;
		await settled(page);
		const weight = await weigh(page);
		await context.close();
		return { complete, ...weight };
	}

	it("views", async (t) => {
		const row = (...columns) => columns.map((text) => `${text}`.padStart(12)).join("");
		// The first visit of all waits for what the service computes once.
		for (const view of views()) await visit(view);
		t.diagnostic(row("", "content/ms", "nodes", "heap/MB"));
		const slow = [];
		for (const view of views()) {
			const visits = [];
			for (let round = 0; round < ROUNDS; round += 1) visits.push(await visit(view));
			const of = (field) => median(visits.map((visit) => visit[field]));
			const complete = of("complete");
			t.diagnostic(row(view[0], complete.toFixed(0), of("nodes"), (of("heap") / 1e6).toFixed(1)));
			if (complete > LONGEST) slow.push(`${view[0]}: ${complete.toFixed(0)} ms`);
		}
		assert.deepEqual(slow, []);
	});
});
