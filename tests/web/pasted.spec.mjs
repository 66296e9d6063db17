// Two pasted files: their comparison stands in the address, and nothing that they hold is executed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { eventually, everyLook, NEWEST, reads, releases, settled, site, skip } from "./harness.mjs";

const MARKUP = "<img src=x onerror=document.title='owned'>";
const OLD = "- func: f(Tensor self, int dim) -> Tensor\n";
const NEW = "- func: f(Tensor self, int axis) -> Tensor\n";
const GONE = "- func: g(Tensor self) -> Tensor\n";

describe("pasted files", { skip, concurrency: false }, () => {
	const web = site();
	const base = (page) => page.getByLabel("Base (old)", { exact: true });
	const head = (page) => page.getByLabel("Head (new)", { exact: true });
	const compare = (page) => page.getByRole("button", { name: "Compare", exact: true }).click();
	const change = (page, rule) =>
		page.getByRole("article").getByRole("link", { name: rule, exact: true });
	const holds = (area, text) =>
		eventually(async () => assert.equal(await area.inputValue({ timeout: 1000 }), text));
	const sides = (page) => page.waitForURL(/\/compare\?from=files#sides=[\w-]+$/);

	it("compared are accessible and fit, light and dark, narrow and wide", async (t) => {
		const page = await web.open(t, "/compare?from=files");
		await compare(page);
		await page.getByRole("region", { name: "Verdict" }).waitFor();
		await settled(page);
		await everyLook(page, "pasted files");
	});

	it("come back with the address: elsewhere, after a reload, and by Back", async (t) => {
		const page = await web.open(t, "/compare?from=files");
		await base(page).fill(OLD);
		await head(page).fill(NEW);
		await compare(page);
		await sides(page);
		await change(page, "argument-renamed").waitFor();
		const first = page.url();
		await base(page).fill(OLD + GONE);
		await compare(page);
		await page.waitForURL((url) => url.href !== first && url.hash.startsWith("#sides="));
		await change(page, "operator-removed").waitFor();
		await page.reload();
		await change(page, "operator-removed").waitFor();
		await holds(base(page), OLD + GONE);
		await holds(head(page), NEW);
		await page.goBack();
		await eventually(async () => assert.equal(page.url(), first));
		await holds(base(page), OLD);
		await change(page, "operator-removed").waitFor({ state: "detached" });
		await change(page, "argument-renamed").waitFor();
		await page.goBack();
		await page.waitForURL("**/compare?from=files");
		await page.getByRole("article").first().waitFor({ state: "detached" });
		await page.goForward();
		await change(page, "argument-renamed").waitFor();
		const shared = await web.open(t, new URL(first).pathname + new URL(first).search + new URL(first).hash);
		await change(shared, "argument-renamed").waitFor();
		await holds(head(shared), NEW);
	});

	it("stay in the address while one filters, and when a change is marked", async (t) => {
		const page = await web.open(t, "/compare?from=files");
		await compare(page);
		await sides(page);
		const { hash } = new URL(page.url());
		await page.getByLabel("Profile").selectOption("backend");
		await page.waitForURL((url) => url.hash === hash && url.searchParams.get("profile") === "backend");
		await page.getByLabel("Rules of release").selectOption("2.9");
		await page.waitForURL((url) => url.hash === hash && url.searchParams.get("release") === "2.9");
		await page.getByRole("tab", { name: /Dispatch tables/ }).click();
		await page.waitForURL((url) => url.hash === hash && url.searchParams.get("view") === "dispatch");
		const cells = page.getByRole("list", { name: "Changed cells" });
		await cells.getByRole("link").first().click();
		await page.waitForURL((url) => url.hash.startsWith(`${hash}&change=`));
		await page.locator("[data-marked]").first().waitFor();
		await page.reload();
		await page.locator("[data-marked]").first().waitFor();
		await eventually(async () =>
			assert.equal(await page.getByLabel("Rules of release").inputValue(), "2.9"),
		);
	});

	it("are text, and a fragment that is broken is told of", async (t) => {
		const page = await web.open(t, "/compare?from=files");
		await base(page).fill(`${OLD}# ${MARKUP}</textarea><script>document.title='owned'</script>\n`);
		await head(page).fill(`${NEW}- func: h(Tensor self, str a="${MARKUP}") -> Tensor\n`);
		await compare(page);
		await sides(page);
		await page.reload();
		await change(page, "argument-renamed").waitFor();
		await settled(page);
		assert.notEqual(await page.title(), "owned");
		assert.equal(await page.locator("img[src='x'], #root script").count(), 0);
		await page.goto(`${web.base}/rules`);
		await page.goto(`${web.base}/compare?from=files#sides=AAAA`);
		await page.getByText("The address does not contain two readable files").waitFor();
	});

	it("that are too large for an address can be stored instead", async (t) => {
		const page = await web.open(t, "/compare?from=files");
		const take = async (area, label, version) => {
			const path = join(releases, version, "native_functions.yaml");
			await page.getByLabel(`Choose a file for ${label}`).setInputFiles(path);
			await holds(area, readFileSync(path, "utf8"));
		};
		await take(base(page), "Base (old)", "2.13.0");
		await take(head(page), "Head (new)", NEWEST);
		await compare(page);
		const told = page.getByRole("status").filter({ hasText: "too large for an address" });
		await reads(told, /have \d+ KB, and the limit is 32 KB/);
		await page.getByRole("region", { name: "Verdict" }).waitFor();
		assert.equal(new URL(page.url()).hash, "");
		await page.getByLabel("Target project").selectOption("pytorch");
		await page.getByRole("button", { name: "Store and compare" }).click();
		await page.waitForURL(/\/p\/pytorch\/compare\/sha256:[0-9a-f]+\.\.\.sha256:[0-9a-f]+$/);
		await page.getByRole("region", { name: "Verdict" }).waitFor();
	});
});
