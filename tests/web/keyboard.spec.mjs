// The page by keyboard alone.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accessible, eventually, NEWEST, reads, settled, site, skip } from "./harness.mjs";

describe("keyboard", { skip, concurrency: false }, () => {
	const web = site();
	const hits = (page) => page.locator("#palette-hits").getByRole("option");

	it("finds an operator, a key, a rule and a revision", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators`);
		await settled(page);
		const seek = async (text) => {
			// While it is open a slash is a letter.
			await page.locator("dialog[open]").waitFor({ state: "detached" });
			await page.keyboard.press("/");
			await page.getByRole("combobox", { name: "Search" }).fill(text);
			await hits(page).first().waitFor();
		};
		const first = page.locator('#palette-hits [aria-selected="true"]');
		await seek("add.tensor");
		await reads(first, /operator\s*add\.Tensor/);
		await accessible(page, "search");
		await page.keyboard.press("Enter");
		await page.waitForURL(`**/r/${NEWEST}/operators/add.Tensor`);
		await page.getByRole("heading", { name: "add.Tensor" }).waitFor();

		await seek("PrivateUse1");
		await reads(first, /key\s*PrivateUse1/);
		await page.keyboard.press("Enter");
		await page.waitForURL("**/backends/PrivateUse1");

		await seek("2.12.1");
		await reads(first, /revision\s*2\.12\.1/);
		await page.keyboard.press("Enter");
		await page.waitForURL("**/p/pytorch/r/2.12.1");

		const { items } = await (await fetch(`${web.base}/v1/rules?limit=1`)).json();
		await seek(items[0].id);
		await reads(first, new RegExp(`rule\\s*${items[0].id}`));
	});

	it("Ctrl-K opens the search, arrows move, Escape closes and gives the focus back", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators`);
		await settled(page);
		const words = page.getByLabel("Name or schema");
		await words.focus();
		// A slash is a letter where one types.
		await page.keyboard.press("/");
		await eventually(async () => assert.equal(await words.inputValue(), "/"));
		await words.fill("");
		await settled(page);
		await words.focus();
		await page.keyboard.press("Control+k");
		const field = page.getByRole("combobox", { name: "Search" });
		await field.fill("add");
		await hits(page).nth(2).waitFor();
		const points = (to) =>
			page.locator(`[role="combobox"][aria-activedescendant="${to}"]`).waitFor();
		await page.keyboard.press("ArrowDown");
		await points("palette-1");
		await page.keyboard.press("ArrowDown");
		await points("palette-2");
		await page.keyboard.press("Escape");
		await field.waitFor({ state: "detached" });
		await eventually(async () =>
			assert.equal(await words.evaluate((node) => node === document.activeElement), true),
		);
	});

	it("`?` shows the keys, and `g` with a letter goes", async (t) => {
		const page = await web.open(t, "/");
		await settled(page);
		await page.keyboard.press("?");
		const help = page.getByRole("dialog", { name: "Keys" });
		await help.getByText("Go to Operators").waitFor();
		await accessible(page, "help");
		await page.keyboard.press("Escape");
		await help.waitFor({ state: "hidden" });
		// The letter has to follow soon, so nothing else may keep the page busy.
		const go = async (letter, url) => {
			await settled(page);
			await page.keyboard.press("g");
			await page.keyboard.press(letter);
			await page.waitForURL(url);
		};
		await go("o", `**/p/pytorch/r/${NEWEST}/operators`);
		await go("b", `**/p/pytorch/r/${NEWEST}/backends`);
		await go("h", `${web.base}/`);
	});

	it("the list of operators moves by arrows and opens by Enter", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators?q=abs`);
		await settled(page);
		const list = page.getByRole("list", { name: "Operators" });
		await list.focus();
		await page.keyboard.press("ArrowDown");
		await reads(page.locator("[data-active] a"), /^(?!abs$)/);
		const name = await page.locator("[data-active] a").innerText();
		await page.keyboard.press("Enter");
		await page.waitForURL(`**/operators/${name}`);
	});

	it("`j` and `k` move in the list of operators, from wherever one is", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators?q=abs`);
		await settled(page);
		const list = page.getByRole("list", { name: "Operators" });
		const active = list.locator("[data-active]");
		const at = (place) => eventually(async () => assert.equal(await active.getAttribute("aria-posinset"), place));
		await page.keyboard.press("j");
		await at("1");
		// The row itself has the focus, so a screen reader says it.
		const focused = () => active.evaluate((node) => node === document.activeElement);
		await eventually(async () => assert.equal(await focused(), true));
		await page.keyboard.press("j");
		await page.keyboard.press("j");
		await at("3");
		await page.keyboard.press("k");
		await at("2");
		await eventually(async () => assert.equal(await focused(), true));
		const name = await active.locator("a").innerText();
		// Escape goes back to the list as a whole.
		await page.keyboard.press("Escape");
		await eventually(async () =>
			assert.equal(await list.evaluate((node) => node === document.activeElement), true),
		);
		// Where one types they are letters.
		await page.getByLabel("Name or schema").focus();
		await page.keyboard.press("j");
		await page.waitForURL("**/operators?q=absj");
		await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/operators?q=abs`);
		await settled(page);
		for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key);
		await page.waitForURL(`**/operators/${name}`);
	});

	it("Enter follows the link of a row, in a list that does not say what it opens", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/backends/MPS/kernels?q=abs`);
		await settled(page);
		await page.keyboard.press("j");
		const active = page.getByRole("list", { name: "Operators" }).locator("[data-active]");
		await eventually(async () =>
			assert.equal(await active.evaluate((node) => node === document.activeElement), true),
		);
		const name = await active.locator("a").innerText();
		await page.keyboard.press("Enter");
		await page.waitForURL(`**/operators/${name}`);
	});

	it("`j` and `k` step through the changes of a comparison", async (t) => {
		const page = await web.open(t, "/p/pytorch/compare/2.12.1...2.13.0?view=operators");
		await page.getByRole("article").first().waitFor();
		await settled(page);
		const active = page.locator("article[data-active]");
		await page.keyboard.press("j");
		const first = await active.getAttribute("aria-label");
		await page.keyboard.press("j");
		await page.waitForFunction(
			(name) => document.querySelector("article[data-active]")?.getAttribute("aria-label") !== name,
			first,
		);
		await page.keyboard.press("k");
		await page.locator(`article[data-active][aria-label="${first}"]`).waitFor();
		await page.keyboard.press("?");
		await page.getByRole("dialog", { name: "Keys" }).getByText("Next and previous row of a list").waitFor();
	});

	const AT = `/p/pytorch/r/${NEWEST}`;
	for (const [name, path] of [
		["operators", `${AT}/operators?q=abs`],
		["kernels of a key", `${AT}/backends/MPS/kernels?q=abs`],
		["gaps", `${AT}/backends/MPS/gaps`],
		["leverage", `${AT}/backends/MPS/leverage`],
		["rules", "/rules"],
		["topics", "/topics"],
		["revisions", "/p/pytorch"],
		["what a search found", "/p/pytorch/search?q=cholesky"],
		["changes by operator", "/p/pytorch/compare/2.12.1...2.13.0?view=operators"],
	]) {
		it(`j, k, Escape and Enter do in ${name} what they do in every list`, async (t) => {
			const page = await web.open(t, path);
			await settled(page);
			/** What has the focus: the text of a row, or nothing where no row has it. */
			const row = () =>
				page.evaluate(() => document.activeElement?.closest("[role=listitem], [data-row], article")?.textContent);
			const moves = (check) => eventually(async () => assert.ok(check(await row()), `${await row()}`));
			await page.keyboard.press("j");
			await moves((text) => text !== undefined);
			const first = await row();
			await page.keyboard.press("j");
			await moves((text) => text !== undefined && text !== first);
			await page.keyboard.press("k");
			await moves((text) => text === first);
			await page.keyboard.press("Escape");
			await moves((text) => text === undefined);
			assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BODY");
			await page.keyboard.press("j");
			await moves((text) => text !== undefined);
			const before = page.url();
			await page.keyboard.press("Enter");
			await page.waitForURL((url) => url.href !== before);
		});
	}

	it("Enter unfolds a cause of a review, and Escape leaves it", async (t) => {
		const page = await web.open(t, "/p/pytorch/compare/2.12.1...2.13.0");
		await settled(page);
		await page.keyboard.press("j");
		await page.keyboard.press("Enter");
		await page.locator('[data-cause][aria-expanded="true"]:focus').waitFor();
		await page.keyboard.press("Escape");
		await eventually(async () =>
			assert.equal(await page.evaluate(() => document.activeElement?.closest("article")), null),
		);
	});

	it("the end of the list is one key away", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators`);
		await settled(page);
		await page.getByRole("list", { name: "Operators" }).focus();
		await page.keyboard.press("End");
		await page.locator('[aria-posinset="3110"]').waitFor();
	});

	it("what one skips to is the content", async (t) => {
		const page = await web.open(t, "/");
		await settled(page);
		await page.keyboard.press("Tab");
		await reads(page.locator(":focus"), /^Skip to content$/);
		await page.keyboard.press("Enter");
		await page.locator("main:focus").waitFor();
		await page.keyboard.press("Tab");
		await page.locator("main :focus").waitFor();
	});
});
