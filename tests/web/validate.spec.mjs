// The editor: findings as one types, fixes, positions behind letters of several bytes, and the text
// in the fragment.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, everyLook, reads, settled, site, skip } from "./harness.mjs";

const MARKUP = "<img src=x onerror=document.title='owned'>";

describe("validate", { skip, concurrency: false }, () => {
	const web = site();
	const editor = (page) => page.getByRole("textbox", { name: "Declarations, as YAML" });
	const findings = (page) => page.getByRole("list", { name: "Findings" }).locator("> li");

	const open = async (t, path = "/validate", options = {}) => {
		const page = await web.open(t, path, options);
		await editor(page).waitFor();
		return page;
	};

	/** Types a text in the place of all that is there. */
	const type = async (page, text) => {
		await editor(page).click();
		await page.keyboard.press("Control+a");
		await page.keyboard.insertText(text);
	};

	it("is accessible and fits, light and dark, narrow and wide, on every tab", async (t) => {
		const page = await open(t);
		await findings(page).first().waitFor();
		for (const tab of ["Operators", "Dispatch table", "Implement it", "Findings"]) {
			await page.getByRole("tab", { name: tab }).click();
			await page.getByRole("tab", { name: tab, selected: true }).waitFor();
			await settled(page);
			await everyLook(page, tab);
		}
	});

	it("loads the editor here and nowhere else", async (t) => {
		const loaded = [];
		const page = await web.open(t, "/rules");
		page.on("request", (request) => loaded.push(request.url()));
		await settled(page);
		assert.ok(!loaded.some((url) => /Editor/.test(url)));
		await page.getByRole("link", { name: "Validate", exact: true }).click();
		await editor(page).waitFor();
		await settled(page);
		assert.ok(loaded.some((url) => /Editor/.test(url)));
		assert.ok(loaded.every((url) => url.startsWith(web.base)));
	});

	it("finds as one types, marks the place, and is content when it is mended", async (t) => {
		const page = await open(t);
		await type(page, "- func: f(Tensor self, *, Tensor(a!) out) -> Tensor\n");
		await findings(page).filter({ hasText: "out-return-matches" }).waitFor();
		await page.getByText(/PyTorch [\d.]+ rejects this/).waitFor();
		const marked = page.locator(".cm-lintRange-error").first();
		await reads(marked, /^Tensor$/);
		await page.locator(".cm-lint-marker-error").first().waitFor();
		await type(page, "- func: f(Tensor self) -> Tensor\n");
		await page.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
		await counts(page.locator(".cm-lintRange-error"), 0);
	});

	it("marks what it means, also behind letters of several bytes", async (t) => {
		const page = await open(t);
		await type(page, "- func: f(Tensor self, str s='∑𝒳é', Dubble x=1) -> Tensor\n");
		await findings(page).filter({ hasText: "type-unknown" }).waitFor();
		const marked = page.locator(".cm-lintRange-error", { hasText: "Dubble" });
		await reads(marked.first(), /^Dubble$/);
	});

	it("fixes by one click, and undoes that by one key", async (t) => {
		const page = await open(t);
		await type(page, "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDAA: f\n");
		const finding = findings(page).filter({ hasText: "dispatch-key-known" });
		await finding.getByRole("button", { name: "Fix" }).click();
		await finding.waitFor({ state: "detached" });
		await reads(editor(page), /CPU, CUDA: f/);
		await editor(page).click();
		await page.keyboard.press("Control+z");
		await finding.waitFor();
		await reads(editor(page), /CUDAA/);
	});

	it("moves the focus on when a fix takes its button away", async (t) => {
		const page = await open(t);
		await type(page, "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPUU: f\n    CUDAA: g\n");
		const unknown = findings(page).filter({ hasText: "dispatch-key-known" });
		await counts(unknown, 2);
		await unknown.first().getByRole("button", { name: "Fix" }).press("Enter");
		await counts(unknown, 1);
		const focused = page.locator(":focus");
		await reads(focused, /^Fix$/);
		await focused.press("Enter");
		await counts(unknown, 0);
		await eventually(async () =>
			assert.equal(await page.evaluate(() => document.activeElement === document.body), false),
		);
	});

	it("keeps the text when one leaves the page and comes back", async (t) => {
		const page = await open(t);
		await type(page, "- func: kept(Tensor self) -> Tensor\n");
		await page.getByRole("link", { name: "Rules", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Rules" }).waitFor();
		await page.getByRole("link", { name: "Validate", exact: true }).click();
		await reads(editor(page), /kept\(Tensor self\)/);
		// Also where the page is loaded anew, by an address that has no text.
		await page.goto(`${web.base}/rules`);
		await page.goto(`${web.base}/validate`);
		await reads(editor(page), /kept\(Tensor self\)/);
		// The text of a link comes before it.
		await page.goto(`${web.base}/validate?rule=dispatch-key-known`);
		await eventually(async () => assert.doesNotMatch(await editor(page).innerText(), /kept/));
	});

	it("completes fields, keys and types, and explains them", async (t) => {
		const page = await open(t);
		await type(page, "- func: f(Tensor self) -> Tensor\n  dispatch:\n    ");
		const choice = (name) => page.locator(".cm-tooltip-autocomplete").getByRole("option", { name });
		await page.keyboard.type("CompositeImp");
		await choice("CompositeImplicitAutograd").first().waitFor();
		await page.locator(".cm-completionInfo").waitFor();
		await choice("CompositeImplicitAutograd").first().click();
		await reads(editor(page), /^ {4}CompositeImplicitAutograd$/m);
		await type(page, "- fu");
		await page.keyboard.press("Control+Space");
		await choice("func").first().waitFor();
	});

	it("says at the place what is wrong, with the rule and the fix", async (t) => {
		const page = await open(t);
		await type(page, "- func: f(Tensor self) -> Tensor\n  dispatch:\n    CPU, CUDAA: f\n");
		await page.locator(".cm-lintRange-error").first().hover();
		const tooltip = page.locator(".cm-tooltip-lint, .cm-tooltip-hover").first();
		await tooltip.getByRole("link", { name: "dispatch-key-known" }).waitFor();
		await tooltip.getByRole("button", { name: "Fix" }).click();
		await page.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
		await reads(editor(page), /CPU, CUDA: f/);
	});

	it("`n` and `p` step through the findings, and are letters in the editor", async (t) => {
		const page = await open(t);
		await findings(page).nth(1).waitFor();
		await page.getByRole("heading", { name: "Validate" }).click();
		const current = page.locator('[aria-label="Findings"] > [aria-current]');
		const stands = (at) =>
			eventually(async () =>
				assert.equal(await current.getAttribute("data-at", { timeout: 1000 }), at),
			);
		await page.keyboard.press("n");
		await stands("0");
		await page.keyboard.press("n");
		await stands("1");
		await page.keyboard.press("p");
		await stands("0");
		await type(page, "");
		await page.keyboard.type("npng");
		await reads(editor(page), /npng/);
	});

	it("keeps the text in the fragment, from which it comes back, and sends it nowhere in an address", async (t) => {
		const page = await open(t);
		const asked = [];
		page.on("request", (request) => asked.push(request.url()));
		const text = "- func: kept(Tensor self) -> Tensor  # ∑𝒳 <b>\n";
		await type(page, text);
		await page.waitForURL(/#text=[\w-]+$/);
		const address = page.url();
		assert.ok(asked.every((url) => !url.includes("text=")));
		const other = await open(t, address.slice(web.base.length));
		await other.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
		await reads(editor(other), /kept\(Tensor self\) -> Tensor {2}# ∑𝒳 <b>/);
	});

	it("judges by the release that is chosen, which is in the address", async (t) => {
		const page = await open(t);
		await page.getByLabel("Release").selectOption("2.4");
		await page.waitForURL(/\/validate\?release=2\.4/);
		await page.getByText(/PyTorch 2\.4 (accepts|rejects) this/).waitFor();
	});

	it("begins with an example, and shows what was read and its dispatch table", async (t) => {
		const page = await open(t);
		await page.getByLabel("Begin with").selectOption("structured");
		await page.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
		await page.getByRole("tab", { name: "Operators (3)" }).click();
		await page.waitForURL(/tab=operators/);
		await page.getByRole("button", { name: "Dispatch table of blend_.Tensor" }).click();
		await page.waitForURL(/operator=blend_\.Tensor/);
		await eventually(async () => {
			const chosen = await page.getByLabel("Operator", { exact: true }).inputValue();
			assert.equal(chosen, "blend_.Tensor");
		});
		const key = page.getByRole("button", { name: "MPS", exact: true });
		await key.click();
		await page.getByRole("status").filter({ hasText: "blend_out_mps" }).waitFor();
	});

	it("tells how the entry just typed is called and implemented for a key", async (t) => {
		const page = await open(t);
		const text = "- func: blend(Tensor self, Tensor end) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n";
		await type(page, text);
		await page.getByRole("tab", { name: /Operators/ }).click();
		await page.getByRole("button", { name: "Implement it: blend", exact: true }).click();
		await page.waitForURL("**operator=blend**");
		const panel = page.getByRole("tabpanel");
		await panel.getByText("at::Tensor blend_cpu(const at::Tensor & self", { exact: false }).first().waitFor();
		await panel.getByRole("button", { name: "PrivateUse1" }).click();
		await page.waitForURL("**key=PrivateUse1**");
		const answer = await fetch(`${web.base}/v1/signatures?operator=blend&key=PrivateUse1`, {
			method: "POST",
			headers: { "content-type": "application/yaml" },
			body: text,
		});
		const { implement, dispatcher } = await answer.json();
		await panel.getByText(implement.registration.trimEnd()).waitFor();
		await panel.getByText(`${dispatcher};`).first().waitFor();
		await page.reload();
		await panel.getByText(implement.registration.trimEnd()).waitFor();
	});

	it("explains the keys of a table to who points at them or moves there", async (t) => {
		const page = await open(t);
		await page.getByRole("tab", { name: "Dispatch table" }).click();
		const key = page.getByRole("button", { name: "AutogradCPU", exact: true });
		const { items } = await (await fetch(`${web.base}/v1/topics?limit=1000`)).json();
		const { summary } = items.find(({ id, names }) => id === "AutogradCPU" || names.includes("AutogradCPU"));
		const tip = page.getByRole("tooltip");
		await key.hover();
		await tip.getByText(summary.replaceAll("`", "")).waitFor();
		await page.keyboard.press("Escape");
		await counts(tip, 0);
		await key.focus();
		await tip.getByText(summary.replaceAll("`", "")).waitFor();
		assert.equal(await key.getAttribute("aria-describedby"), await tip.getAttribute("id"));
		await everyLook(page, "a key explained");
	});

	it("takes no text for markup", async (t) => {
		const page = await open(t);
		await type(page, `- func: "${MARKUP}"\n- func: f(Tensor self, ${MARKUP} x) -> Tensor\n`);
		await findings(page).first().waitFor();
		await page.locator(".cm-lintRange-error").first().hover();
		await page.locator(".cm-tooltip").first().waitFor();
		assert.notEqual(await page.title(), "owned");
		assert.equal(await page.locator("img[src='x']").count(), 0);
	});

	it("says when the server cannot be reached, and goes on when it can", async (t) => {
		const page = await open(t, "/validate", { fine: [/ERR_FAILED/] });
		await findings(page).first().waitFor();
		await page.route("**/v1/validate*", (route) => route.abort());
		await type(page, "- func: f(Tensor self) -> Tensor\n");
		const alert = page.getByRole("alert");
		await alert.getByText("The server is not reachable").waitFor();
		await page.unroute("**/v1/validate*");
		await alert.getByRole("button", { name: "Try again" }).click();
		await page.getByText(/PyTorch [\d.]+ accepts this/).waitFor();
	});

	it("a fragment that is broken is told of", async (t) => {
		const page = await open(t, "/validate#text=AAAA");
		await page.getByText("The address does not contain a readable text.").waitFor();
	});
});
