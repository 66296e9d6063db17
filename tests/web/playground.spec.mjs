// The editor as a playground: all fixes at once and back, an entry over a stored revision, and what
// is said first to somebody who pastes a schema or types of another language.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseRevision, counts, eventually, everyLook, reads, settled, site, skip } from "./harness.mjs";

describe("playground", { skip, concurrency: false }, () => {
	const web = site();
	const editor = (page) => page.getByRole("textbox", { name: "Declarations, as YAML" });
	const findings = (page) => page.getByRole("list", { name: "Findings" }).locator("> li");
	const button = (page, name) => page.getByRole("button", { name, exact: true });
	/** The text in the editor, whose empty lines have a line break of their own. */
	const written = (page) =>
		page.locator(".cm-line").evaluateAll((lines) => lines.map((line) => line.textContent).join("\n"));
	const says = (page, text) => eventually(async () => assert.equal(await written(page), text));

	/** Opens the editor with a text. */
	const open = async (t, text, path = "/validate") => {
		const page = await web.open(t, path);
		await editor(page).click();
		await page.keyboard.press("Control+a");
		if (text === "") await page.keyboard.press("Delete");
		else await page.keyboard.insertText(text);
		return page;
	};

	const FAULTS =
		"- func: f(Tensor self, Optional[int] dim, Double x) -> Tuple[Tensor, Tensor]\n" +
		"  dispatch:\n    CPU, CUDAA: f\n  autogen: f.out";
	const SOUND =
		"- func: f(Tensor self, int? dim, float x) -> (Tensor, Tensor)\n" +
		"  dispatch:\n    CPU, CUDA: f\n  autogen: f.out";

	it("makes all fixes in one step, which one undo takes back", async (t) => {
		const page = await open(t, FAULTS);
		await button(page, "Fix all (4)").click();
		await says(page, SOUND);
		await button(page, "Fix all (0)").waitFor();
		await button(page, "Undo").click();
		await says(page, FAULTS);
		await button(page, "Fix all (4)").waitFor();
		await editor(page).click();
		await page.keyboard.press("Alt+Shift+F");
		await says(page, SOUND);
		await page.keyboard.press("Control+z");
		await says(page, FAULTS);
	});

	it("clears the text, which can be undone", async (t) => {
		const page = await open(t, SOUND);
		await button(page, "Clear the editor").click();
		await page.getByText("Nothing to check yet").waitFor();
		await button(page, "Undo").press("Enter");
		await says(page, SOUND);
		await page.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
	});

	it("begins with an example where there is no text", async (t) => {
		const page = await open(t, "");
		await page.getByText("Nothing to check yet").waitFor();
		await counts(page.locator(".cm-lintRange-error"), 0);
		await settled(page);
		await everyLook(page, "an empty editor");
		await button(page, "A structured operator, in order").click();
		await page.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
	});

	it("makes an entry of a schema", async (t) => {
		for (const [text, fixed] of [
			["f(Tensor self) -> Tensor", "- func: f(Tensor self) -> Tensor"],
			["- f(Tensor self) -> Tensor", "- func: f(Tensor self) -> Tensor"],
			[
				"func: f(Tensor self) -> Tensor\nvariants: method",
				"- func: f(Tensor self) -> Tensor\n  variants: method",
			],
		]) {
			const page = await open(t, text);
			await button(page, "Fix all (1)").click();
			await says(page, fixed);
			await page.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
		}
	});

	it("checks an entry over a stored revision, which is in the address", async (t) => {
		const entry =
			"- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)";
		const page = await open(t, entry);
		await page.getByText(/PyTorch 2\.15/).first().waitFor();
		await chooseRevision(page, "Over a revision", "2.13.0");
		await page.waitForURL(/[?&]over=2\.13\.0&project=pytorch/);
		const verdict = page.getByRole("status").filter({ hasText: "PyTorch 2.13" });
		await reads(verdict, /Over 2\.13\.0: replaces add\.out/);
		// What delegates to it no longer finds it structured.
		const elsewhere = page.getByRole("region", { name: "Elsewhere in the revision" });
		await elsewhere.getByRole("listitem").first().waitFor();
		await settled(page);
		await everyLook(page, "an entry over a revision");
		const link = elsewhere.getByRole("link", { name: /^native_functions\.yaml:\d+$/ }).first();
		await page.reload();
		await reads(verdict, /Over 2\.13\.0: replaces add\.out/);
		await settled(page);
		const line = /:(\d+)$/.exec(await link.innerText())[1];
		const address = new RegExp(`/p/pytorch/r/2\\.13\\.0/files/native_functions\\.yaml#L${line}$`);
		// A click is lost on a link that is drawn anew meanwhile.
		await eventually(async () => {
			if (!page.url().includes("/files/")) await link.click();
			assert.match(page.url(), address);
		});
		await page.goBack();
		await editor(page).click();
		await page.keyboard.press("Control+a");
		await page.keyboard.insertText("- func: scaled(Tensor self) -> Tensor");
		await reads(verdict, /accepts this[\s\S]*Over 2\.13\.0: adds scaled/);
		await counts(elsewhere, 0);
		await counts(findings(page).filter({ hasText: "error" }), 0);
	});

	it("follows a link from a shared text to a page that takes a while", async (t) => {
		const page = await open(t, "- func: shared(Tensor self) -> Tensor");
		await page.waitForURL(/#/);
		const shared = page.url();
		// The draft, which is not the text of the address.
		await page.keyboard.press("Control+a");
		await page.keyboard.insertText("- func: draft(Tensor self) -> Tensor");
		await page.waitForURL((url) => url.href !== shared);
		await page.goto("about:blank");
		// Longer than the address waits for the text.
		await page.route(/\/Rules-[^/]*\.js/, async (route) => {
			await new Promise((done) => setTimeout(done, 2000));
			await route.continue();
		});
		await page.goto(shared);
		await settled(page);
		await says(page, "- func: shared(Tensor self) -> Tensor");
		await page.getByRole("link", { name: "Rules", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "Rules" }).waitFor();
		assert.match(page.url(), /\/rules$/);
	});
});
