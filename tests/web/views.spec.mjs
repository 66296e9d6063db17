// Every view: that it shows what it is for, and that its state is in its address.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseRevision, eventually, NEWEST, reads, settled, site, skip } from "./harness.mjs";

/** A key of a revision with others before it. */
const MPS = "/p/pytorch/r/2.13.0/backends/MPS";

describe("views", { skip, concurrency: false }, () => {
	const web = site();

	it("the header overlaps nothing and cuts nothing at 1024 pixels and more", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}`);
		await settled(page);
		for (const width of [1024, 1280, 1600]) {
			await page.setViewportSize({ width, height: 900 });
			await eventually(async () => {
				const boxes = await page.evaluate(() => {
					const header = document.querySelector("header");
					const items = header.querySelectorAll("a, input, button");
					return [...items].map((item) => item.getBoundingClientRect().toJSON());
				});
				for (const [at, one] of boxes.entries()) {
					assert.ok(one.left >= 0 && one.right <= width, `${width}: item ${at} is cut`);
					for (const other of boxes.slice(at + 1)) {
						const isBeside = one.right <= other.left + 0.5 || other.right <= one.left + 0.5;
						const isUnder = one.bottom <= other.top + 0.5 || other.bottom <= one.top + 0.5;
						assert.ok(isBeside || isUnder, `${width}: items of the header overlap`);
					}
				}
			});
		}
	});

	it("filters do not stand before the rows on a phone", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators?kind=out`, { width: 390 });
		const first = (list) => list.getByRole("listitem").first();
		const isInSight = async (row, where) => {
			await settled(page);
			const { y } = await row.boundingBox();
			assert.ok(y < 700, `${where}: the first row is at ${y}`);
		};
		const operators = first(page.getByRole("list", { name: "Operators" }));
		await isInSight(operators, "operators");
		await page.getByText("Filters (1 set)").click();
		await page.getByLabel("Kind", { exact: true }).selectOption("inplace");
		await page.waitForURL("**/operators?kind=inplace");
		await page.goto(`${web.base}${MPS}/kernels`);
		await isInSight(operators, "kernels");
		await page.goto(`${web.base}${MPS}/gaps?tag=core`);
		await isInSight(first(page.getByRole("list", { name: "Gaps" })), "gaps");
		await page.getByText("Filters (1 set)").click();
		await page.getByLabel("Tag").selectOption("pointwise");
		await page.waitForURL(`**${MPS}/gaps?tag=pointwise`);
		await page.goto(`${web.base}/p/pytorch/r/2.13.0/files/native_functions.yaml`);
		await isInSight(page.getByRole("main").locator("ol").first(), "source");
	});

	it("one share of coverage on every page", async (t) => {
		const asked = await fetch(`${web.base}/v1/projects/pytorch/revisions/${NEWEST}/keys?generated=exclude&limit=1000`);
		const { items } = await asked.json();
		// Of these two, whole per cent would say something else than the share rounded down.
		for (const key of ["MPS", "CUDA"]) {
			const { working, applicable, other_backends } = items.find((item) => item.key === key).coverage;
			const share = `${(Math.floor((working / applicable) * 1000) / 10).toFixed(1)} %`;
			const page = await web.open(t, "/");
			const card = page.getByRole("list", { name: "Coverage" }).getByRole("link");
			await reads(card.filter({ hasText: key }).first(), new RegExp(`^${key}\\s+${share}$`));
			await page.goto(`${web.base}/p/pytorch`);
			await reads(card.filter({ hasText: key }).first(), new RegExp(`^${key}\\s+${share}$`));
			await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/backends`);
			await page.locator(`[title="${key}: ${share} work"]`).waitFor();
			await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/backends/${key}`);
			await page.getByText(`${applicable.toLocaleString("en")} operators counted`).waitFor();
			await page.getByRole("link", { name: `${other_backends} belong to other backends.` }).click();
			await page.waitForURL(`**/backends/${key}/kernels?**show=other**`);
			await page.getByText(`${other_backends} operators`, { exact: true }).waitFor();
			await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/backends/${key}/history`);
			const table = page.getByRole("region", { name: "Coverage, table" });
			await reads(table.getByRole("row").last(), new RegExp(`^${NEWEST}\\s+${share}\\s`));
			// Nothing is said of a backend outside PyTorch.
			await page.goto(`${web.base}/p/pytorch/trends?keys=${key},XLA`);
			const last = new RegExp(`^${NEWEST}\\s+(–\\s+)?${share}(\\s+–)?$`);
			await reads(table.getByRole("row").last(), last);
			await reads(table.getByRole("row").last(), /–/);
		}
	});

	it("home tells of the newest revision of each project, with findings and coverage", async (t) => {
		const page = await web.open(t, "/");
		const items = page.getByRole("region", { name: "pytorch" }).getByRole("listitem");
		await page.getByText("+6 since 2.13.0").waitFor();
		await page.getByText("34 warnings").waitFor();
		await reads(items.first(), /2\.15\.0[\s\S]*2,590 operators[\s\S]*520 generated/);
		await reads(items.first(), /MPS\s*[1-9]\d\.\d %/);
	});

	it("the revision lists findings by rule, the gravest first", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}`);
		await settled(page);
		const groups = page.getByRole("region", { name: "Findings" }).getByRole("group");
		await reads(groups.first(), /warning/);
	});

	it("`latest` becomes what it stands for, with its parameters", async (t) => {
		const page = await web.open(t, "/p/pytorch/r/latest/operators?q=abs");
		await page.waitForURL(`**/p/pytorch/r/${NEWEST}/operators?q=abs`);
	});

	it("the filters of operators are in the address, and Back takes them back", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators`);
		const said = page.getByText(/of 3,110 operators/);
		await said.waitFor();
		const other = async (than) => {
			await said.filter({ hasNotText: than }).waitFor();
			return said.innerText();
		};
		const all = await said.innerText();
		await page.getByLabel("Kind").selectOption("out");
		await page.waitForURL("**/operators?kind=out");
		const one = await other(all);
		await page.getByLabel("Structured").selectOption("true");
		await page.waitForURL("**/operators?kind=out&structured=true");
		const both = await other(one);
		await page.goBack();
		await page.waitForURL("**/operators?kind=out");
		await said.filter({ hasText: one }).waitFor();
		await eventually(async () =>
			assert.equal(await page.getByLabel("Structured").inputValue(), ""),
		);
		await page.goForward();
		await page.waitForURL("**/operators?kind=out&structured=true");
		await said.filter({ hasText: both }).waitFor();
		await page.reload();
		await said.filter({ hasText: both }).waitFor();
	});

	it("keeps the letters that are typed while the address follows", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators`);
		await settled(page);
		const words = page.getByLabel("Name or schema");
		await words.pressSequentially("conv_transpose", { delay: 170 });
		await page.waitForURL("**/operators?q=conv_transpose");
		await settled(page);
		assert.equal(await words.inputValue(), "conv_transpose");
	});

	it("agrees with the API on what passes filters", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators?key=MPS&reason=missing&tag=core`);
		const said = page.getByText(/of 3,110 operators/);
		await said.waitFor();
		const asked = `/v1/projects/pytorch/revisions/${NEWEST}/operators?key=MPS&reason=missing&tag=core`;
		const response = await fetch(`${web.base}${asked}&limit=1000`);
		const { items } = await response.json();
		assert.ok(items.length > 0);
		await reads(said, new RegExp(`^${items.length} of`));
	});

	it("lists operators in groups, internal and deprecated ones last, each with where it runs", async (t) => {
		const view = await (
			await fetch(`${web.base}/v1/projects/pytorch/revisions/${NEWEST}/matrix`)
		).json();
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators`);
		const list = page.getByRole("list", { name: "Operators" });
		const rows = list.getByRole("listitem");
		await reads(rows.first(), /^A\s+\d+\s+abs\s/);
		// What the cells say is what the matrix has.
		const { verdicts, operators } = view;
		const words = { r: "Runs", d: "Decomposes", p: "Partly", b: "Falls back", f: "Fails", u: "Unknown" };
		for (const name of ["abs.out", "acos"]) {
			const row = verdicts.rows[operators.find((operator) => operator.name === name).verdicts];
			const said = (key) => `${key}: ${words[row[verdicts.keys.indexOf(key)]]}`;
			const strip = rows.filter({ has: page.getByRole("link", { name, exact: true }) }).getByRole("img");
			const label = await strip.getAttribute("aria-label");
			for (const key of ["CPU", "HIP", "MPS", "Meta"]) assert.ok(label.includes(said(key)), label);
			assert.ok(!label.includes("XLA"), "a backend without data");
		}
		await list.focus();
		await page.keyboard.press("End");
		await reads(rows.last(), /Deprecated\s+\d+\s+_convolution\.deprecated/);
	});

	it("parameters that mean nothing are left aside", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators?kind=nonsense&structured=maybe`);
		await page.getByText("3,110 of 3,110 operators").waitFor();
	});

	it("an operator's page says what runs on PrivateUse1 and why", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add.Tensor`);
		await page.locator("button[aria-expanded]", { hasText: /^PrivateUse1$/ }).click();
		await page.waitForURL("**/add.Tensor?key=PrivateUse1");
		const why = page.getByRole("complementary", { name: "Why PrivateUse1" });
		await why.getByText("Steps of the dispatcher").waitFor();
		await reads(why, /Composite, explicit\s+add_Tensor/);
		await reads(why, /PrivateUse1: nothing registered/);
		await reads(why, /CompositeExplicitAutogradNonFunctional: decides/);
		await reads(why, /It is unknown whether the operator works on PrivateUse1: out of tree/);
		await reads(why, /Register PrivateUse1[\s\S]*Own kernel/);
		await page.getByRole("button", { name: "Close the explanation" }).click();
		await page.waitForURL("**/add.Tensor");
		await page.goBack();
		await why.waitFor();
	});

	it("an operator's page has schema, alias sets, arguments, group, source and training", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add_.Tensor`);
		await settled(page);
		await page.getByRole("img", { name: /self is written and shares memory with return 0/ }).waitFor();
		const argument = page.getByRole("region", { name: "Arguments" }).getByRole("row", { name: /alpha/ });
		await reads(argument, /Scalar\s+1\s+keyword only/);
		const group = page.getByRole("region", { name: "Group" });
		for (const name of ["add.Tensor", "add.out", "add_.Tensor"]) {
			await group.getByRole("link", { name, exact: true }).first().waitFor();
		}
		await page.getByText("- func: add_.Tensor(Tensor(a!) self").waitFor();
		const support = page.getByRole("region", { name: "Where it runs" });
		await reads(support, /Out of tree, unknown: XLA,[\s\S]*bare backend[\s\S]*fails: needs add.out/);
	});

	it("an operator's page says why training fails, and not only that there is an error", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/bincount`);
		const support = page.getByRole("region", { name: "Where it runs" });
		const cell = support.getByRole("button", { name: /^CPU/ });
		await reads(cell, /✕ no training/);
		await cell.hover();
		await reads(support.getByRole("tooltip"), /Training: [\s\S]*no formula/);
		assert.doesNotMatch(await support.innerText(), /^error$/m);
	});

	it("what-if shows the cells that change, and is in the address", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add.Tensor`);
		await settled(page);
		await page.getByLabel("Key", { exact: true }).fill("PrivateUse1");
		await page.getByLabel("Kernel (optional)").fill("my_add");
		await page.getByRole("button", { name: "Add", exact: true }).click();
		await page.waitForURL("**/add.Tensor?with=PrivateUse1:my_add");
		const cells = page.getByRole("region", { name: "Changed cells" });
		const row = cells.getByRole("row", { name: /PrivateUse1/ });
		await reads(row, /Composite, explicit\s+add_Tensor\s+[\s\S]*Own kernel\s+my_add/);
		await page.getByRole("button", { name: "CompositeExplicitAutogradNonFunctional" }).last().click();
		await page.waitForURL("**without=CompositeExplicitAutogradNonFunctional");
		await page.getByText(/of \d+ cells change/).waitFor();
		await page.getByRole("button", { name: "Do not add PrivateUse1:my_add" }).click();
		await page.waitForURL("**/add.Tensor?without=CompositeExplicitAutogradNonFunctional");
		await page.getByRole("button", { name: "Start over" }).click();
		await page.waitForURL("**/add.Tensor");
	});

	it("what-if tells of keys that cannot be registered to", async (t) => {
		const path = `/p/pytorch/r/${NEWEST}/operators/add.Tensor?with=PrivatUse1`;
		const page = await web.open(t, path, { fine: [/422/] });
		const alert = page.getByRole("alert");
		await reads(alert, /PrivatUse1/);
	});

	it("an unknown operator gets the problem and near names that lead on", async (t) => {
		const path = `/p/pytorch/r/${NEWEST}/operators/add.Tensr`;
		const page = await web.open(t, path, { fine: [/404/] });
		const alert = page.getByRole("alert");
		await reads(alert, /add\.Tensr[\s\S]*Did you mean[\s\S]*Status 404[\s\S]*Request/);
		await alert.getByRole("link", { name: "add.Tensor", exact: true }).click();
		await page.waitForURL("**/operators/add.Tensor");
		await page.getByRole("heading", { name: "Dispatch table" }).waitFor();
	});

	it("a key that is not there leads to those that are", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/backends/MPX`);
		await page.getByText(`Release 2.15 has no key MPX`).waitFor();
	});

	it("a server that stops answering is told of, and asked again", async (t) => {
		const page = await web.open(t, "/", { fine: [/ERR_FAILED/] });
		await settled(page);
		await page.route("**/v1/**", (route) => route.abort());
		await page.getByRole("link", { name: "Operators", exact: true }).click();
		const alert = page.getByRole("alert").first();
		await reads(alert, /The server is not reachable/);
		await page.unroute("**/v1/**");
		await page.getByRole("button", { name: "Try again" }).first().click();
		await page.getByText(/of 3,110 operators/).waitFor();
	});

	it("the page of a key counts, filters, and tells what changed between two releases", async (t) => {
		const page = await web.open(t, MPS);
		await settled(page);
		const tabs = page.getByRole("navigation", { name: "About the backend" });
		const verdicts = page.getByRole("region", { name: "By verdict, counts" });
		const row = verdicts.getByRole("row").filter({ hasText: "Fails" });
		const fails = await row.getByRole("cell").first().innerText();
		await row.getByRole("link").click();
		await page.waitForURL(`**${MPS}/kernels?generated=exclude&show=missing&verdict=fails`);
		await page.getByText(`${fails} operators`, { exact: true }).waitFor();
		await tabs.getByRole("link", { name: "Upgrade", exact: true }).click();
		await chooseRevision(page, "Before", "2.12.1");
		await page.waitForURL(`**${MPS}/upgrade?against=2.12.1`);
		await page.getByRole("heading", { name: /^Gained [1-9]\d*$/ }).waitFor();
		const link = page.getByRole("link", { name: "_cdist_backward", exact: true });
		await reads(page.getByRole("listitem").filter({ has: link }).last(), /→ own kernel/);
		await page.goBack();
		await page.goBack();
		await page.waitForURL(`**${MPS}/kernels?generated=exclude&show=missing&verdict=fails`);
	});

	it("every tab of a key has an address, a title and its table to take away", async (t) => {
		const page = await web.open(t, MPS);
		const tabs = page.getByRole("navigation", { name: "About the backend" });
		for (const [name, path, title, file] of [
			["Coverage", "", /^MPS · /, "pytorch-2.13.0-MPS-coverage.csv"],
			["Kernels", "/kernels", /^Kernels of MPS · /, "pytorch-2.13.0-MPS.csv"],
			["Gaps", "/gaps", /^Gaps of MPS · /, "pytorch-2.13.0-MPS-gaps.csv"],
			["Leverage", "/leverage", /^Leverage of MPS · /, "pytorch-2.13.0-MPS-leverage.csv"],
			["History", "/history", /^History of MPS · /, "pytorch-MPS-history.csv"],
		]) {
			await tabs.getByRole("link", { name, exact: true }).click();
			await page.waitForURL(`**${MPS}${path}`);
			await eventually(async () => assert.match(await page.title(), title));
			await reads(tabs.locator("[aria-current]"), new RegExp(`^${name}$`));
			// The former tab's button stays until this tab's code has come.
			await eventually(async () => {
				const coming = page.waitForEvent("download");
				await page.getByRole("button", { name: "Download CSV" }).click();
				assert.equal((await coming).suggestedFilename(), file);
			});
		}
	});

	it("the tables of a key sort by their columns, which the address keeps", async (t) => {
		const page = await web.open(t, MPS);
		const table = page.getByRole("region", { name: "By Python module, counts" });
		const column = table.getByRole("columnheader", { name: "Fail" });
		const fails = async () => {
			const texts = await table.locator("tbody td:nth-of-type(3)").allInnerTexts();
			return texts.map((text) => Number(text.replaceAll(",", "")));
		};
		const sorts = async (direction, order) => {
			await page.locator(`[aria-sort="${direction}"]`).first().waitFor();
			const numbers = await fails();
			assert.ok(numbers.length > 3);
			assert.deepEqual(numbers, [...numbers].sort(order));
		};
		await column.getByRole("button").click();
		await page.waitForURL(`**${MPS}?sort=-missing`);
		await sorts("descending", (a, b) => b - a);
		await column.getByRole("button").press("Enter");
		await page.waitForURL(`**${MPS}?sort=missing`);
		await sorts("ascending", (a, b) => a - b);
		await page.reload();
		await sorts("ascending", (a, b) => a - b);
		await column.getByRole("button").click();
		await page.waitForURL(`**${MPS}`);
		await page.goto(`${web.base}/p/pytorch/compare/2.12.1...2.13.0?view=dispatch&sort=-lost`);
		const keys = page.getByRole("region", { name: "Changes by key" });
		await keys.locator('[aria-sort="descending"]').getByText("Lost").waitFor();
	});

	it("the tab that is open is in sight on a phone", async (t) => {
		const page = await web.open(t, `${MPS}/badge`, { width: 390 });
		await settled(page);
		const current = page.getByRole("navigation", { name: "About the backend" }).locator("[aria-current]");
		await eventually(async () => {
			const { x, width } = await current.boundingBox();
			assert.ok(x >= 0 && x + width <= 390, `the tab is at ${x}`);
		});
	});

	it("addresses from before the tabs lead to them, with what they asked", async (t) => {
		const gaps = "/p/pytorch/r/2.13.0/gaps/MPS";
		const page = await web.open(t, "/rules");
		for (const [from, to] of [
			[`${MPS}?show=missing&q=conv`, `${MPS}/kernels?q=conv&show=missing`],
			[`${MPS}?verdict=fails`, `${MPS}/kernels?verdict=fails`],
			[`${MPS}?against=2.12.1`, `${MPS}/upgrade?against=2.12.1`],
			[`${MPS}?against=2.12.1&show=missing`, `${MPS}/upgrade?against=2.12.1`],
			[gaps, `${MPS}/gaps`],
			[`${gaps}?only=lacking&since=2.12.1&tag=core`, `${MPS}/gaps?only=lacking&since=2.12.1&tag=core`],
			[`${gaps}?badge=kernel&badge_at=latest`, `${MPS}/badge?badge=kernel&badge_at=latest`],
			[`${gaps}#badge`, `${MPS}/badge`],
			[`${gaps}#leverage`, `${MPS}/leverage`],
		]) {
			await page.goto(web.base + from);
			await page.waitForURL(web.base + to);
			await settled(page);
			assert.equal(await page.getByRole("alert").count(), 0, from);
		}
	});

	it("another revision shows the same view", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add.Tensor?key=MPS`);
		await settled(page);
		await chooseRevision(page, "Revision", "2.12.1");
		await page.waitForURL("**/p/pytorch/r/2.12.1/operators/add.Tensor?key=MPS");
	});

	it("the first click on the theme shows the opposite of what is shown, and it is kept", async (t) => {
		for (const theme of ["light", "dark"]) {
			const other = theme === "light" ? "dark" : "light";
			const page = await web.open(t, "/", { theme });
			const canvas = () =>
				page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
			await settled(page);
			const before = await canvas();
			const change = (to) => page.getByRole("button", { name: `Switch to the ${to} theme` });
			await change(other).click();
			await change(theme).waitFor();
			await eventually(async () => assert.notEqual(await canvas(), before));
			await page.reload();
			await change(theme).waitFor();
			await eventually(async () => assert.notEqual(await canvas(), before));
			await change(theme).click();
			await eventually(async () => assert.equal(await canvas(), before));
		}
	});

	it("a phone shows at which end of the row of views there are more", async (t) => {
		const page = await web.open(t, "/", { width: 390 });
		await settled(page);
		const row = page.getByRole("navigation", { name: "Views" });
		const ends = () =>
			row.evaluate((nav) => [nav.hasAttribute("data-before"), nav.hasAttribute("data-after")]);
		await eventually(async () => assert.deepEqual(await ends(), [false, true]));
		await row.evaluate((nav) => nav.scrollTo({ left: 60 }));
		await eventually(async () => assert.deepEqual(await ends(), [true, true]));
		await row.evaluate((nav) => nav.scrollTo({ left: nav.scrollWidth }));
		await eventually(async () => assert.deepEqual(await ends(), [true, false]));
		await page.setViewportSize({ width: 1600, height: 900 });
		await eventually(async () => assert.deepEqual(await ends(), [false, false]));
	});

	it("on paper there are no controls, tables and lists are whole, and links are seen", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators?q=conv`, { theme: "dark" });
		await settled(page);
		const rows = page.getByRole("list", { name: "Operators" }).getByRole("listitem");
		const drawn = await rows.count();
		const all = Number(await rows.first().getAttribute("aria-setsize"));
		assert.ok(all > drawn, `${drawn} of ${all}`);
		await page.emulateMedia({ media: "print" });
		await eventually(async () => assert.equal(await rows.count(), all));
		for (const role of ["banner", "navigation", "search"]) {
			assert.equal(await page.getByRole(role).count(), 0, role);
		}
		const look = await page.evaluate(() => ({
			text: getComputedStyle(document.documentElement).colorScheme,
			line: getComputedStyle(document.querySelector("main a")).textDecorationLine,
			list: document.querySelector("main [role=list]").getBoundingClientRect().height,
		}));
		assert.equal(look.text, "light");
		assert.equal(look.line, "underline");
		assert.ok(look.list > 20 * all, `${look.list}`);
		await page.goto(`${web.base}/p/pytorch/compare/2.12.1...2.13.0`);
		await page.getByRole("region", { name: "What breaks for you" }).waitFor();
		assert.equal(await page.getByRole("button", { name: "Copy permalink" }).count(), 0);
		assert.ok((await page.getByRole("article").count()) > 1);
	});

	it("pages of all revisions have no empty field for one", async (t) => {
		const page = await web.open(t, "/p/pytorch/trends");
		await settled(page);
		await page.getByRole("banner").getByRole("link", { name: "pytorch", exact: true }).waitFor();
		assert.equal(await page.getByRole("banner").getByRole("combobox").count(), 0);
	});
});
