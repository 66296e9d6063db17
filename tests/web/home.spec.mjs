// Where nobody has said which project: what the home page tells of each, and where the search leads.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
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
const EMPTY = "aaa";
const BROKEN = "broken";

/** Imports two revisions with the same error. */
function importBroken(database, dir) {
	const entry = (name, key) =>
		`- func: ${name}(Tensor self) -> Tensor\n  dispatch:\n    ${key}: ${name}\n`;
	const wrong = entry("blend", "CPUU");
	for (const [label, text] of [
		["2.13.0", wrong],
		["2.13.1", wrong + entry("mix", "CPU")],
	]) {
		const files = join(dir, label);
		mkdirSync(files);
		writeFileSync(join(files, "native_functions.yaml"), text);
		importInto(database, BROKEN, label, files);
	}
}

describe("home", { skip, concurrency: false }, () => {
	const web = site({
		prepare: (database, dir) => {
			importInto(database, OTHER, "2.13.0", join(releases, "2.13.0"));
			importBroken(database, dir);
		},
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
		const questions = page.getByRole("navigation", { name: "Questions" });
		for (const [role, name, url, answer] of [
			["link", /grid_sampler_2d/, `**/${NEWEST}/operators/grid_sampler_2d?key=MPS`, "Why MPS"],
			["button", /mean\?/, "**/why#*", undefined],
			["link", /next release/, "**/p/pytorch/upgrade", undefined],
			["link", /entry valid/, "**/validate", undefined],
			["link", /model run/, "**/p/pytorch/preflight", undefined],
		]) {
			await questions.getByRole(role, { name }).click();
			await page.waitForURL(url);
			if (answer) await page.getByRole("complementary", { name: answer }).waitFor();
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

	it("lists projects by size, and the empty ones last", async (t) => {
		const made = await fetch(`${web.base}/v1/projects`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ name: EMPTY }),
		});
		assert.ok(made.ok);
		const page = await web.open(t, "/");
		await settled(page);
		const names = page.getByRole("main").getByRole("heading", { level: 2 });
		await eventually(async () =>
			assert.deepEqual(await names.allInnerTexts(), ["pytorch", BROKEN, OTHER, EMPTY]),
		);
	});

	it("goes on in the search with what is typed into its field, and no letter is lost", async (t) => {
		let find;
		const found = new Promise((done) => {
			find = done;
		});
		const routes = { "**/assets/Palette-*.js": (route) => found.then(() => route.continue()) };
		const page = await web.open(t, "/", { routes });
		const begin = page.getByRole("searchbox", { name: /Search for an operator/ });
		await begin.focus();
		await page.keyboard.type("nonzero on mps");
		const field = page.getByRole("combobox", { name: "Search" });
		await eventually(async () => assert.equal(await field.inputValue(), "nonzero on mps"));
		await page.keyboard.press("Enter");
		find();
		await page.waitForURL(`**/r/${NEWEST}/operators/nonzero?key=MPS`);
	});

	it("explains an error message that is pasted into its field", async (t) => {
		const page = await web.open(t, "/");
		await page.getByRole("searchbox", { name: /Search for an operator/ }).focus();
		await page.evaluate(() => {
			const data = new DataTransfer();
			data.setData(
				"text",
				"Traceback (most recent call last):\nNotImplementedError: The operator 'aten::nonzero' is not currently implemented for the MPS device.",
			);
			const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
			document.activeElement.dispatchEvent(event);
		});
		await page.waitForURL("**/why#*");
		await page.getByText("nonzero").first().waitFor();
	});

	it("says beside errors that are not new that they were there before", async (t) => {
		const page = await web.open(t, `/p/${BROKEN}`);
		await settled(page);
		const newest = page.getByRole("region", { name: "Revisions" }).getByRole("listitem").first();
		await reads(newest, /no breaking changes[\s\S]*1 error, as before/);
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
