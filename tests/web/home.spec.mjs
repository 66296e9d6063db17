// Where nobody has said which project: what the home page tells of each, and where the search leads.

import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
	accessible,
	eventually,
	importInto,
	NEWEST,
	reads,
	releases,
	settled,
	site,
	skip,
} from "./harness.mjs";

// Before `pytorch` in the alphabet, so that it is first in every list.
const OTHER = "acme";

describe("home", { skip, concurrency: false }, () => {
	const web = site({
		prepare: (database) => importInto(database, OTHER, "2.13.0", join(releases, "2.13.0")),
	});
	const first = (page) => page.locator('#palette-hits [aria-selected="true"]');
	const seek = async (page, text) => {
		await settled(page);
		await page.keyboard.press("/");
		await page.getByRole("combobox", { name: "Search" }).fill(text);
		await first(page).filter({ hasText: text }).waitFor();
	};

	it("the search leads to pytorch, or to the project that was last looked at, and says so", async (t) => {
		const page = await web.open(t, "/");
		await seek(page, "add.Tensor");
		await reads(first(page), new RegExp(`add\\.Tensor\\s*pytorch ${NEWEST}`));
		await accessible(page, "search without a project");
		await page.keyboard.press("Enter");
		await page.waitForURL(`**/p/pytorch/r/${NEWEST}/operators/add.Tensor`);

		await page.goto(`${web.base}/p/${OTHER}/r/2.13.0/operators`);
		await settled(page);
		await page.goto(`${web.base}/rules`);
		await seek(page, "MPS");
		await reads(first(page), /key\s*MPS\s*acme 2\.13\.0/);
		await page.keyboard.press("Enter");
		await page.waitForURL(`**/p/${OTHER}/r/2.13.0/backends/MPS`);
		// The header goes there too.
		await page.goto(`${web.base}/`);
		await page.getByRole("link", { name: "Operators", exact: true }).click();
		await page.waitForURL(`**/p/${OTHER}/r/2.13.0/operators`);
	});

	it("offers no revision of another project while its own are on their way", async (t) => {
		const page = await web.open(t, "/compare?project=pytorch");
		const field = page.getByRole("combobox", { name: "Base (old)", exact: true });
		const option = page.getByRole("listbox").getByRole("option");
		await field.click();
		await option.filter({ hasText: NEWEST }).first().waitFor();
		await field.press("Escape");
		let release = () => {};
		await page.route(`**/v1/projects/${OTHER}/timeline?*limit=50*`, async (route) => {
			await new Promise((done) => {
				release = done;
			});
			await route.continue();
		});
		await page.getByLabel("Project", { exact: true }).selectOption(OTHER);
		await page.waitForURL(`**/compare?project=${OTHER}`);
		await settled(page);
		await field.click();
		await page.getByText("Loading …").waitFor();
		assert.equal(await option.count(), 0);
		release();
		await reads(option.first(), /2\.13\.0/);
		assert.equal(await option.filter({ hasText: NEWEST }).count(), 0);
	});

	it("tells how much each revision broke, and leads to the comparison of the two", async (t) => {
		let asked = 0;
		const page = await web.open(t, "/rules");
		page.on("request", (request) => {
			if (new URL(request.url()).pathname.endsWith("/trends")) asked += 1;
		});
		await page.goto(`${web.base}/p/pytorch`);
		const items = page.getByRole("region", { name: "Revisions" }).locator("ol > li");
		await items.nth(2).waitFor();
		const compared = async (range) =>
			(await fetch(`${web.base}/v1/projects/pytorch/compare/${range}`)).json();
		for (const [at, range] of ["2.13.0...2.15.0", "2.12.1...2.13.0"].entries()) {
			const { summary } = await compared(range);
			const parts = [
				[summary.breaking, "breaking"],
				[summary.forward_breaking, "forward-breaking"],
			].filter(([n]) => n > 0);
			const text = parts.map(([n, word]) => `${n.toLocaleString("en")} ${word}`).join(", ");
			await items.nth(at).getByRole("link", { name: `${text} change` }).waitFor();
		}
		// The first revision changed nothing, and one answer told of all.
		await settled(page);
		assert.equal(await items.nth(2).getByRole("link", { name: /breaking/ }).count(), 0);
		assert.equal(asked, 1);
		await items.nth(0).getByRole("link", { name: /breaking/ }).click();
		await page.waitForURL("**/p/pytorch/compare/2.13.0...2.15.0");
		await page.getByRole("region", { name: "Verdict" }).waitFor();
	});

	it("leads to what people come for, and to the page of each project", async (t) => {
		const page = await web.open(t, "/");
		const tasks = page.getByRole("navigation", { name: "Tasks" });
		for (const [name, url] of [
			["Plan an upgrade", "**/p/pytorch/upgrade"],
			["Check my entry", "**/validate"],
			["What does my backend lack?", `**/p/pytorch/r/${NEWEST}/backends`],
		]) {
			await tasks.getByRole("link", { name }).click();
			await page.waitForURL(url);
			await page.goBack();
		}
		// Only the newest of each, with what it changed.
		const region = page.getByRole("region", { name: "pytorch" });
		await region.getByRole("link", { name: /breaking/ }).waitFor();
		assert.equal(await region.locator("ol > li").count(), 1);
		await region.getByRole("link", { name: "All revisions" }).click();
		await page.waitForURL("**/p/pytorch");
		await page.getByRole("heading", { name: "pytorch", level: 1 }).waitFor();
		await page.getByLabel("Label, commit, subject or date").fill("2.12");
		await page.waitForURL("**/p/pytorch?q=2.12");
		await reads(page.getByRole("region", { name: "Revisions" }).locator("ol"), /^2\.12\.1/);
	});

	it("is there without what has to be computed first", async (t) => {
		const page = await web.open(t, "/rules", { fine: [/ERR_FAILED/] });
		await page.route("**/trends?*", (route) => route.abort());
		await page.goto(`${web.base}/`);
		await page.getByText("+6 since 2.13.0").waitFor();
		await eventually(async () =>
			assert.equal(await page.getByRole("link", { name: /breaking/ }).count(), 0),
		);
	});
});
