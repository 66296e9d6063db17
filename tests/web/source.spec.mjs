// A file of a revision with its findings, and the ways that lead to its lines.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
	chooseRevision,
	counts,
	eventually,
	everyLook,
	NEWEST,
	reads,
	releases,
	settled,
	site,
	skip,
} from "./harness.mjs";

const FILE = "native_functions.yaml";
const PATH = `/p/pytorch/r/${NEWEST}/files/${FILE}`;
const HISTORY = "/p/pytorch/operators/_cdist_backward/history";

describe("source", { skip, concurrency: false }, () => {
	const web = site();
	const lines = (page) => page.getByRole("region", { name: `Lines of ${FILE}` });
	const current = (page) => lines(page).locator("li[aria-current]");
	const inFile = async () => {
		const found = [];
		let cursor = "";
		do {
			const asked = `${web.base}/v1/projects/pytorch/revisions/${NEWEST}/findings?limit=1000${cursor}`;
			const { items, next_cursor } = await (await fetch(asked)).json();
			found.push(...items.filter(({ file }) => file === FILE));
			cursor = next_cursor ? `&cursor=${encodeURIComponent(next_cursor)}` : "";
		} while (cursor);
		return found;
	};
	const stopsOf = (found) => [...new Set(found.map(({ span }) => span.line))].sort((a, b) => a - b);

	it("is accessible and fits, light and dark, narrow and wide", async (t) => {
		const [first] = stopsOf(await inFile());
		const page = await web.open(t, `${PATH}#L${first}`);
		await current(page).waitFor();
		await everyLook(page, "source");
	});

	it("shows the line of the address, of a file that is drawn in part", async (t) => {
		const page = await web.open(t, `${PATH}#L5000`);
		const text = readFileSync(join(releases, NEWEST, FILE), "utf8").split("\n")[4999];
		await eventually(async () =>
			assert.equal(await current(page).locator("code").textContent(), text),
		);
		await eventually(async () => assert.equal(await current(page).isVisible(), true));
		assert.ok((await lines(page).getByRole("listitem").count()) < 200);
		const other = lines(page).getByRole("link", { name: "Line 5002", exact: true });
		await other.click();
		await page.waitForURL(`**${PATH}#L5002`);
		await page.goBack();
		await page.waitForURL(`**${PATH}#L5000`);
		await reads(current(page), /^5000/);
	});

	it("colours keys, comments and values apart", async (t) => {
		const page = await web.open(t, `${PATH}#L5`);
		await current(page).waitFor();
		const colours = await lines(page).evaluate((list) => {
			const parts = [...list.querySelectorAll("code, code *")];
			return [...new Set(parts.map((part) => getComputedStyle(part).color))];
		});
		assert.ok(colours.length >= 3, `${colours}`);
	});

	it("marks findings at their lines, counts them, and steps through them", async (t) => {
		const found = await inFile();
		const stops = stopsOf(found);
		assert.ok(stops.length > 2, `${stops.length} lines with findings`);
		const page = await web.open(t, PATH);
		const said = page.getByRole("status").filter({ hasText: "findings on" });
		await reads(said, new RegExp(`^${found.length.toLocaleString("en")} findings on ${stops.length.toLocaleString("en")} lines$`));
		const back = page.getByRole("button", { name: /Previous finding/ });
		await page.getByRole("button", { name: /Next finding/ }).click();
		await page.waitForURL(`**${PATH}#L${stops[0]}`);
		await eventually(async () => assert.equal(await back.isDisabled(), true));
		await page.keyboard.press("n");
		await page.waitForURL(`**${PATH}#L${stops[1]}`);
		await reads(said, new RegExp(`2 of ${stops.length.toLocaleString("en")}$`));
		const message = found.find(({ span }) => span.line === stops[1]).message.replaceAll("`", "");
		await lines(page).getByText(message.slice(0, 30)).first().waitFor();
		await page.keyboard.press("p");
		await page.waitForURL(`**${PATH}#L${stops[0]}`);
		await page.reload();
		await reads(said, new RegExp(`1 of ${stops.length.toLocaleString("en")}$`));
	});

	it("marks only the findings of a rule, which stands in the address", async (t) => {
		const found = await inFile();
		const { rule } = found[0];
		const some = found.filter((one) => one.rule === rule);
		const page = await web.open(t, PATH);
		await page.getByLabel("Rule").selectOption(rule);
		await page.waitForURL(`**${PATH}?rule=${rule}`);
		await reads(
			page.getByRole("status").filter({ hasText: "on" }).first(),
			new RegExp(`^${some.length.toLocaleString("en")} finding`),
		);
	});

	it("finds a text in the whole file, and leads from names to operators", async (t) => {
		const text = readFileSync(join(releases, NEWEST, FILE), "utf8").toLowerCase().split("\n");
		const found = text.flatMap((line, at) => (line.includes("addmm_out") ? [at + 1] : []));
		assert.ok(found.length > 3);
		const page = await web.open(t, PATH);
		const field = page.getByRole("searchbox", { name: "Find in this file" });
		await field.fill("ADDMM_out");
		const said = page.getByRole("status").filter({ hasText: /line/ });
		await said.getByText(`found on ${found.length} lines`).waitFor();
		await field.press("Enter");
		await page.waitForURL(`**${PATH}?q=ADDMM_out#L${found[0]}`);
		await reads(current(page).locator("mark").first(), /^addmm_out$/i);
		await field.press("Enter");
		await page.waitForURL(`**#L${found[1]}`);
		await page.getByText(`2 of ${found.length} lines`).waitFor();
		await field.press("Shift+Enter");
		await page.getByRole("button", { name: "Previous match" }).click();
		await page.waitForURL(`**#L${found.at(-1)}`);
		await everyLook(page, "source with what is looked for");
		await page.goto(`${web.base}${PATH}?operator=add_.Tensor`);
		await current(page).getByRole("link", { name: "add_.Tensor", exact: true }).click();
		await page.waitForURL("**/operators/add_.Tensor");
	});

	it("is reached from findings and from an operator's declaration", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}`);
		await settled(page);
		const [finding] = await inFile();
		await page.getByRole("link", { name: FILE, exact: true }).first().waitFor();
		const group = page.getByRole("group").filter({ hasText: finding.rule }).first();
		await group.locator("summary").click();
		await group.getByRole("link", { name: `${FILE}:` }).first().click();
		await page.waitForURL(/\/files\/native_functions\.yaml#L\d+$/);
		await current(page).waitFor();
		await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/operators/add.Tensor`);
		await page.getByRole("link", { name: /^native_functions\.yaml, line \d+$/ }).click();
		await page.waitForURL(/\/files\/native_functions\.yaml#L\d+$/);
		await reads(current(page), /- func: add\.Tensor\(/);
	});

	it("says that there is no such file, and no such operator", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/files/none.yaml`, { fine: [/404/] });
		await page.getByRole("alert").getByText("Status 404").waitFor();
		await page.goto(`${web.base}${PATH}?operator=nothing_like_it`);
		await page.getByRole("status").filter({ hasText: "nothing_like_it" }).waitFor();
		await page.goto(`${web.base}${PATH}?operator=abs`);
		await page.waitForURL(/\?operator=abs#L\d+$/);
		await reads(current(page), /- func: abs\(/);
	});

	describe("from the history of an operator", () => {
		it("narrows to revisions that stand in the address", async (t) => {
			const page = await web.open(t, HISTORY);
			await settled(page);
			const happened = page.getByRole("region", { name: "What happened" });
			await chooseRevision(page, "From", "2.13.0");
			await page.waitForURL(`**${HISTORY}?from=2.13.0`);
			await chooseRevision(page, "To", "2.15.0");
			await page.waitForURL(`**${HISTORY}?from=2.13.0&to=2.15.0`);
			await happened.getByText(/from 2\.13\.0 to 2\.15\.0/).waitFor();
			const asked = "/v1/projects/pytorch/operators/_cdist_backward/history?from=2.13.0&to=2.15.0";
			const { events } = await (await fetch(web.base + asked)).json();
			await counts(happened.locator("ol > li > ul > li"), events.length);
			await page.reload();
			await happened.getByText(/from 2\.13\.0 to 2\.15\.0/).waitFor();
			await page.goBack();
			await page.waitForURL(`**${HISTORY}?from=2.13.0`);
		});

		it("leads from a schema's change to the comparison, and to the lines of both sides", async (t) => {
			const page = await web.open(t, HISTORY);
			await settled(page);
			const change = page
				.getByRole("region", { name: "What happened" })
				.locator("ol > li > ul > li")
				.filter({ hasText: "argument-renamed" });
			const source = change.getByRole("link", { name: /^Source in/ });
			await counts(source, 2);
			await source.last().click();
			await page.waitForURL(/\/files\/native_functions\.yaml\?operator=_cdist_backward#L\d+$/);
			await reads(current(page), /- func: _cdist_backward\(/);
			await page.goBack();
			await change.getByRole("link", { name: /^Compare 2\.\S+ with 2\.\S+$/ }).click();
			await page.waitForURL(/\/compare\/2\.[\d.]+\.\.\.2\.[\d.]+\?q=_cdist_backward$/);
			await page.getByRole("article", { name: "_cdist_backward" }).first().waitFor();
		});
	});
});
