// The rules: found by filters that stand in the address, each with a page that leads on.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually, reads, settled, site, skip } from "./harness.mjs";

describe("rules", { skip, concurrency: false }, () => {
	const web = site();

	it("lists as many rules as the API has, of both kinds", async (t) => {
		const page = await web.open(t, "/rules");
		const { items } = await (await fetch(`${web.base}/v1/rules?limit=1000`)).json();
		await page.getByText(`${items.length} of ${items.length} rules`).waitFor();
		await page.getByLabel("Kind").selectOption("compatibility");
		await page.waitForURL("**/rules?kind=compatibility");
		const changes = items.filter(({ kind }) => kind === "compatibility");
		assert.ok(changes.length > 50);
		await page.getByText(`${changes.length} of ${items.length} rules`).waitFor();
	});

	it("filters stand in the address, and Back takes them back", async (t) => {
		const page = await web.open(t, "/rules");
		await settled(page);
		await page.getByLabel("Severity or level").selectOption("warning");
		await page.waitForURL("**/rules?weight=warning");
		const { items } = await (await fetch(`${web.base}/v1/rules?limit=1000`)).json();
		const warnings = items.filter((rule) => rule.severity === "warning").length;
		const said = page.getByText(/ of \d+ rules/);
		await reads(said, new RegExp(`^${warnings} of`));
		await page.getByLabel("Words").fill("autogen");
		await page.waitForURL("**/rules?q=autogen&weight=warning");
		await said.filter({ hasNotText: new RegExp(`^${warnings} of`) }).waitFor();
		await page.getByRole("list", { name: "Rules" }).getByRole("link").first().click();
		await page.waitForURL("**/rules/*");
		await page.goBack();
		await page.waitForURL("**/rules?q=autogen&weight=warning");
		await eventually(async () =>
			assert.equal(await page.getByLabel("Words").inputValue(), "autogen"),
		);
		await page.getByLabel("Words").fill("no rule has such words");
		await page.getByText("No rules match these filters").waitFor();
		await page.getByRole("button", { name: "Clear filters" }).last().click();
		await page.waitForURL("**/rules");
	});

	it("a rule opens its bad example in the editor, where it is found", async (t) => {
		const page = await web.open(t, "/rules/dispatch-key-known");
		await page.getByRole("link", { name: "Open the bad example in Validate" }).click();
		await page.waitForURL("**/validate?rule=dispatch-key-known");
		const findings = page.getByRole("list", { name: "Findings" });
		await findings.getByRole("link", { name: "dispatch-key-known" }).first().waitFor();
	});

	it("a rule of compatibility says who is hurt, and compares its two sides", async (t) => {
		const page = await web.open(t, "/rules/argument-renamed");
		const hurt = page.getByRole("region", { name: "Who is affected" }).getByRole("listitem");
		await reads(hurt.filter({ hasText: "callers by keyword" }), /break/);
		await reads(hurt.filter({ hasText: "callers by position" }), /unhurt/);
		await page.getByRole("link", { name: "Compare the two sides" }).click();
		await page.waitForURL("**/compare?*rule=argument-renamed*");
		await page
			.getByRole("article")
			.getByRole("link", { name: "argument-renamed", exact: true })
			.waitFor();
	});

	it("one that is not there leads to those with near names", async (t) => {
		const page = await web.open(t, "/rules/argument-renamd", { fine: [/404/] });
		const alert = page.getByRole("alert");
		await alert.getByRole("link", { name: "argument-renamed" }).click();
		await page.waitForURL("**/rules/argument-renamed");
		await page.getByRole("heading", { name: "Why" }).waitFor();
	});

	it("the search leads to a rule", async (t) => {
		const page = await web.open(t, "/rules");
		await settled(page);
		await page.keyboard.press("/");
		await page.getByRole("combobox", { name: "Search" }).fill("out-return-matches");
		await reads(page.locator('#palette-hits [aria-selected="true"]'), /rule\s*out-return-matches/);
		await page.keyboard.press("Enter");
		await page.waitForURL("**/rules/out-return-matches");
	});
});
