// Comparing two revisions: the verdict first, filters in the address, links that stay, and lists of
// thousands that stay small in the page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accessible, chooseRevision, eventually, reads, settled, site, skip } from "./harness.mjs";

const RANGE = "/p/pytorch/compare/2.12.1...2.13.0";
const MARKUP = "<img src=x onerror=document.title='owned'>";

describe("compare", { skip, concurrency: false }, () => {
	const web = site();
	const ready = async (page) => {
		await page.getByRole("region", { name: "Verdict" }).waitFor();
		await settled(page);
	};
	const asked = async (path = RANGE, query = "") => {
		const range = path.split("/").at(-1);
		const response = await fetch(`${web.base}/v1/projects/pytorch/compare/${range}${query}`);
		return response.json();
	};

	it("goes from the choice of two revisions to their comparison", async (t) => {
		const page = await web.open(t, "/");
		await page.getByRole("link", { name: "Compare", exact: true }).click();
		await chooseRevision(page, "Base (old)", "2.12.1");
		await chooseRevision(page, "Head (new)", "2.13.0");
		await page.getByRole("button", { name: "Compare", exact: true }).click();
		await page.waitForURL(`**${RANGE}`);
		await ready(page);
		await page.goBack();
		await page.waitForURL("**/compare");
	});

	it("says the verdict first, as the API does", async (t) => {
		const page = await web.open(t, RANGE);
		await ready(page);
		const { summary, conclusion, official } = await asked();
		assert.equal(conclusion, "fail");
		const verdict = page.getByRole("region", { name: "Verdict" });
		await reads(verdict, /^✕\s*Fails/);
		await reads(verdict, new RegExp(`${summary.breaking}\\s*✕ Breaking`));
		await reads(verdict, new RegExp(`${official.backward.length} operators not backward`));
		await reads(page.getByRole("heading", { level: 2 }).first(), /What breaks for you/);
	});

	it("filters by level, audience, backend and words, all in the address", async (t) => {
		const page = await web.open(t, `${RANGE}?view=operators`);
		await ready(page);
		const said = page.getByText(/ of [\d,]+ changes/);
		const { summary } = await asked();
		const all = await said.innerText();
		await page
			.getByRole("button", { name: /Breaking/ })
			.first()
			.click();
		await page.waitForURL("**level=breaking**");
		await reads(said, new RegExp(`^${summary.breaking} of`));
		await page
			.getByRole("button", { name: /Breaking/ })
			.first()
			.click();
		await page.waitForURL(`**${RANGE}?view=operators`);
		await said.filter({ hasText: all }).waitFor();
		await page.getByLabel("Backend").selectOption("MPS");
		await page.waitForURL("**backend=MPS**");
		await said.filter({ hasNotText: all }).waitFor();
		const ofBackend = await said.innerText();
		await page.getByLabel("Operator, rule or text").fill("lcm");
		await page.waitForURL("**q=lcm*");
		await said.filter({ hasNotText: ofBackend }).waitFor();
		await page.getByRole("article", { name: "lcm.out", exact: true }).first().waitFor();
		await page.reload();
		await ready(page);
		await page.getByRole("article", { name: "lcm.out", exact: true }).first().waitFor();
		await page.getByLabel("Who is affected").selectOption("backend");
		await page.waitForURL("**audience=backend**");
		await page.getByRole("button", { name: "Clear filters" }).first().click();
		await page.waitForURL(`**${RANGE}?view=operators`);
	});

	it("tells what changed for MPS", async (t) => {
		const page = await web.open(t, RANGE);
		await ready(page);
		await page.getByLabel("Backend").selectOption("MPS");
		await page.getByRole("tab", { name: /Dispatch tables/ }).click();
		await page.waitForURL("**?backend=MPS&view=dispatch");
		const { dispatch_changes } = await asked();
		const here = dispatch_changes.filter(({ keys }) => keys.includes("MPS"));
		const works = ({ verdict }) => ["runs", "decomposes", "falls-back"].includes(verdict);
		const fails = ({ verdict }) => ["fails", "partly"].includes(verdict);
		const gained = here.filter(({ before, after }) => fails(before) && works(after)).length;
		await page.getByRole("button", { name: new RegExp(`Gained at MPS: ${gained} `) }).click();
		await page.waitForURL("**turn=gained**");
		const cells = page.getByRole("list", { name: "Changed cells" });
		const row = cells.getByRole("listitem").filter({ hasText: "_assert_async.msg" });
		await reads(row, /Gained[\s\S]*Missing[\s\S]*Own kernel\s+_assert_async_msg_mps/);
		await row.getByRole("link", { name: "dispatch-kernel-added" }).click();
		await page.waitForURL(/#[0-9a-f]{16}$/);
		await reads(page.locator("[data-marked]"), /_assert_async_msg_mps/);
	});

	it("sets schemas side by side and marks the words that differ", async (t) => {
		const page = await web.open(t, "/compare?rule=argument-renamed&from=files&view=operators");
		await ready(page);
		const card = page.getByRole("article").first();
		await reads(card.locator("del").first(), /\S/);
		await reads(card.locator("ins").first(), /\S/);
		await card.getByText("✕ torch: backward").waitFor();
		await card.getByText("Why, and what to do").click();
		await card.getByText(/opatlas exception add/).waitFor();
	});

	it("another profile, another verdict", async (t) => {
		const page = await web.open(t, RANGE);
		await ready(page);
		await page.getByLabel("Profile").selectOption("compiler");
		await page.waitForURL("**?profile=compiler");
		const { summary } = await asked(RANGE, "?profile=compiler");
		const count = page.getByRole("button", { name: /Breaking/ }).first();
		await page.getByText("under the profile compiler").waitFor();
		await reads(count, new RegExp(`^${summary.breaking}\\b`));
		await page.goBack();
		await page.getByText("under the profile strict").waitFor();
	});

	it("gives a link by digests and the report as Markdown", async (t) => {
		const page = await web.open(t, `${RANGE}?level=info`);
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await ready(page);
		const copied = (check) =>
			eventually(async () => check(await page.evaluate(() => navigator.clipboard.readText())));
		await page.getByRole("button", { name: "Copy permalink" }).click();
		await page.getByRole("button", { name: "Copied" }).waitFor();
		const { base, head } = await asked();
		const link = `${web.base}/p/pytorch/compare/${base.revision}...${head.revision}?level=info`;
		await copied((text) => assert.equal(text, link));
		await page.getByRole("button", { name: "Copy as comment" }).click();
		await page
			.getByRole("status")
			.filter({ hasText: /^Copied/ })
			.waitFor();
		await copied((text) => assert.match(text, /^#|\*\*/));
		await page.goto(link);
		await ready(page);
		await page.getByText("level").first().waitFor();
	});

	it("draws only what is seen of thousands of changes, and `n` steps through them", async (t) => {
		const page = await web.open(t, "/p/pytorch/compare/2.12.1...2.15.0?view=operators");
		await ready(page);
		const few = () =>
			eventually(async () => {
				const articles = await page.getByRole("article").count();
				assert.ok(articles > 0 && articles < 30, `${articles} articles`);
			});
		await few();
		// Heights are guesses until a row is drawn, so the end is reached in a few steps.
		const { changes } = await asked("/p/pytorch/compare/2.12.1...2.15.0");
		const last = changes.filter(({ level }) => level === "safe").at(-1).operator;
		await page.waitForFunction((name) => {
			window.scrollTo(0, document.body.scrollHeight);
			return [...document.querySelectorAll("article")].some((one) => one.ariaLabel === name);
		}, last);
		await few();
		await page.evaluate(() => window.scrollTo(0, 0));
		await page.keyboard.press("n");
		const first = await page.locator("article[data-active]").getAttribute("aria-label");
		await page.keyboard.press("n");
		await page.waitForFunction(
			(name) => document.querySelector("article[data-active]")?.getAttribute("aria-label") !== name,
			first,
		);
		await page.keyboard.press("p");
		await page.locator(`article[data-active][aria-label="${first}"]`).waitFor();
	});

	it("compares two texts, and tells loudly what it could not read", async (t) => {
		const page = await web.open(t, "/compare?from=files&view=operators");
		const base = page.getByLabel("Base (old)", { exact: true });
		const head = page.getByLabel("Head (new)", { exact: true });
		const compare = page.getByRole("button", { name: "Compare", exact: true });
		await base.fill("- func: f(Tensor self, int dim) -> Tensor\n");
		await head.fill("- func: f(Tensor self, int axis) -> Tensor\n");
		await compare.click();
		const card = page.getByRole("article", { name: "f", exact: true });
		await card.getByRole("link", { name: "argument-renamed", exact: true }).waitFor();
		await head.fill(`- func: f(Tensor self, int axis) -> Tensor\n- func: "${MARKUP}"\n`);
		await compare.click();
		await page.getByRole("alert", { name: "Not read" }).waitFor();
		assert.notEqual(await page.title(), "owned");
		assert.equal(await page.locator("img[src='x']").count(), 0);
		await accessible(page, "what could not be read");
	});

	it("takes a file from the disk", async (t) => {
		const page = await web.open(t, "/compare?from=files");
		await page.getByLabel("Choose a file for Base (old)").setInputFiles({
			name: "native_functions.yaml",
			mimeType: "application/yaml",
			buffer: Buffer.from("- func: from_disk(Tensor self) -> Tensor\n"),
		});
		const base = page.getByLabel("Base (old)", { exact: true });
		await page.waitForFunction(
			(area) => area.value.includes("from_disk"),
			await base.elementHandle(),
		);
	});

	it("tells of a side that nothing can be read of, and of revisions that are not there", async (t) => {
		const page = await web.open(t, "/compare?from=files", { fine: [/422|404/] });
		await page.getByLabel("Base (old)", { exact: true }).fill("{");
		await page.getByRole("button", { name: "Compare", exact: true }).click();
		await page.getByRole("alert").getByText("Status 422").waitFor();
		await page.goto(`${web.base}/p/pytorch/compare/2.12.1...9.9.9`);
		await reads(page.getByRole("alert"), /9\.9\.9[\s\S]*Status 404/);
	});
});
