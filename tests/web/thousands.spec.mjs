// A project with as many commits as a real history: every way to a revision stays usable, and
// nothing renders or keeps more than it shows. OPATLAS_WEB_COMMITS tries it with fewer or more.
// `make bench-web` measures how long the same pages take.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accessible, counts, eventually, fits, reads, settled, site, skip, weigh } from "./harness.mjs";
import { importCommits, subjectOf } from "./longHistory.mjs";

const COMMITS = Number(process.env.OPATLAS_WEB_COMMITS ?? 10_000);
/** The most elements that a page may have. */
const MOST_NODES = 3000;
/** The most memory that its script may hold, in bytes. */
const MOST_HEAP = 60e6;

describe("thousands of commits", { skip, concurrency: false }, () => {
	let last = "";
	const web = site({
		prepare: (database, dir) => {
			last = importCommits(database, dir, COMMITS);
		},
	});
	/** Fails where a page has more than anybody can see, or keeps what it does not show. */
	const few = async (t, page, where) => {
		await settled(page);
		const { nodes, heap } = await weigh(page);
		t.diagnostic(`${where}: ${nodes} nodes, ${(heap / 1e6).toFixed(1)} MB of heap`);
		assert.ok(nodes <= MOST_NODES, `${where} has ${nodes} nodes`);
		assert.ok(heap <= MOST_HEAP, `${where} holds ${heap} bytes`);
	};
	const field = (page, name) => page.getByRole("combobox", { name, exact: true });
	// Choices of the browser have options too, and no list box.
	const option = (page) => page.getByRole("listbox").getByRole("option");

	it("home shows the newest, and the project's page some at a time", async (t) => {
		const page = await web.open(t, "/");
		const region = page.getByRole("region", { name: "line" });
		await reads(region, new RegExp(`${COMMITS.toLocaleString("en")} revisions[\\s\\S]*${last}`));
		await few(t, page, "home");
		await region.getByRole("link", { name: "All revisions" }).click();
		await page.waitForURL("**/p/line");
		const items = page.getByRole("region", { name: "Revisions" }).locator("ol > li");
		await reads(items.first(), new RegExp(last));
		const top = await items.count();
		await few(t, page, "project");
		// On the way down the cards get their figures.
		const older = page.getByRole("link", { name: "Older", exact: true });
		await older.scrollIntoViewIfNeeded();
		await settled(page);
		await older.click();
		await page.waitForURL(/\/p\/line\?cursor=/);
		await items.filter({ hasText: subjectOf(COMMITS - 1 - top) }).waitFor();
		await few(t, page, "project, older");
		await page.getByRole("link", { name: "Newest", exact: true }).click();
		await page.waitForURL("**/p/line");
		await page.getByLabel("Label, commit, subject or date").fill("#7)");
		await counts(items, 1);
		await items.filter({ hasText: subjectOf(7) }).waitFor();
		await items.getByText("2 operators").waitFor();
		await accessible(page, "project with words");
	});

	it("the picker finds a revision by subject, date and commit", async (t) => {
		const page = await web.open(t, `/p/line/r/${last}/operators`);
		await settled(page);
		const picker = field(page, "Revision");
		await picker.click();
		await page.getByText(`50 of ${COMMITS.toLocaleString("en")}`).waitFor();
		await counts(option(page), 50);
		await few(t, page, "picker");
		await accessible(page, "picker");
		await picker.press("Escape");
		await counts(option(page), 0);
		assert.equal(await picker.inputValue(), last);
		await picker.fill("2017-07-14 #5)");
		await counts(option(page), 1);
		await reads(option(page), /Change the default of one to 5 \(#5\)/);
		await picker.press("Enter");
		await page.waitForURL((url) => !url.pathname.includes(last));
		const fifth = await picker.inputValue();
		assert.match(fifth, /^[0-9a-f]{12}$/);
		await page.getByText("2 of 2 operators").waitFor();
		await page.getByText("int n=5").first().waitFor();
		await picker.click();
		await picker.fill(last.slice(0, 8));
		await reads(option(page), new RegExp(`^${last}`));
		await picker.press("ArrowUp");
		await picker.press("Enter");
		await page.waitForURL(`**/p/line/r/${last}/operators`);
	});

	it("the list of the picker lies in the window, on a phone too", async (t) => {
		const page = await web.open(t, `/p/line/r/${last}/operators`, { width: 390, theme: "dark" });
		await settled(page);
		await field(page, "Revision").click();
		await counts(option(page), 50);
		const box = await page.getByRole("listbox").boundingBox();
		assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 900, JSON.stringify(box));
		await fits(page, "picker on a phone");
		await accessible(page, "picker on a phone");
	});

	it("the search leads to a commit by its subject", async (t) => {
		const page = await web.open(t, `/p/line/r/${last}/operators`);
		await settled(page);
		await page.keyboard.press("/");
		await page.getByRole("combobox", { name: "Search" }).fill("#1234)");
		const hit = page.locator("#palette-hits [role=option]").filter({ hasText: subjectOf(1234) });
		await hit.waitFor();
		await few(t, page, "search");
		await hit.click();
		await page.waitForURL(/\/p\/line\/r\/[0-9a-f]{12}$/);
		await page.getByText(subjectOf(1234)).first().waitFor();
	});

	it("trends and histories draw what is seen", async (t) => {
		const page = await web.open(t, "/p/line/trends");
		const table = page.getByRole("region", { name: "Coverage, table" }).getByRole("row");
		await counts(table, 31);
		await reads(table.last(), new RegExp(last));
		await few(t, page, "trends");
		await page.getByRole("region", { name: "Coverage, table" }).getByRole("button", { name: "Older" }).click();
		await eventually(async () => assert.doesNotMatch(await table.last().innerText(), new RegExp(last)));
		await field(page, "From").click();
		await field(page, "From").fill(`#${COMMITS - 10})`);
		// Until the server has answered, the list has what it had before: one line, then all.
		const asked = option(page).filter({ hasText: subjectOf(COMMITS - 10) });
		await asked.waitFor();
		await counts(option(page), 1);
		await asked.click();
		await page.waitForURL(/trends\?from=[0-9a-f]{12}$/);
		await counts(table, 11);
		await page.goto(`${web.base}/p/line/operators/two/history`);
		await page.getByRole("heading", { name: /History of two/ }).waitFor();
		await few(t, page, "history");
	});

	it("comparisons and upgrades begin with the last two", async (t) => {
		const page = await web.open(t, "/compare?project=line");
		await eventually(async () => assert.equal(await field(page, "Head (new)").inputValue(), last));
		await field(page, "Base (old)").click();
		await counts(option(page), 50);
		await few(t, page, "compare");
		await field(page, "Base (old)").press("Escape");
		await page.getByRole("button", { name: "Compare", exact: true }).click();
		await page.waitForURL(new RegExp(`/p/line/compare/[0-9a-f]{12}\\.\\.\\.${last}$`));
		await page.getByRole("region", { name: "Verdict" }).waitFor();
		await few(t, page, "comparison");
		await page.goto(`${web.base}/p/line/upgrade`);
		await eventually(async () => assert.equal(await field(page, "Head (new)").inputValue(), last));
		await few(t, page, "upgrade");
	});
});
