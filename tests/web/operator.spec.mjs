// The page of an operator: the answer first, drawn from the first answer that has it, in its place.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, NEWEST, reads, settled, site, skip } from "./harness.mjs";

const OPERATORS = `/p/pytorch/r/${NEWEST}/operators`;

/** Sums what moves while a page loads, from its beginning on. */
const watchShifts = (page) =>
	page.addInitScript(() => {
		window.shifted = 0;
		new PerformanceObserver((list) => {
			for (const { value, hadRecentInput } of list.getEntries()) {
				if (!hadRecentInput) window.shifted += value;
			}
		}).observe({ type: "layout-shift", buffered: true });
	});

/** Matches a text as it is. */
const literally = (text) => new RegExp(text.replace(/[.()]/g, "\\$&"));

describe("operator", { skip, concurrency: false }, () => {
	const web = site();
	const asked = async (path) =>
		(await fetch(`${web.base}/v1/projects/pytorch/revisions/${NEWEST}/${path}`)).json();
	const cells = (page) => page.getByRole("list", { name: "Backends" }).getByRole("button");

	for (const operator of ["grid_sampler_2d", "nonzero", "softmax.int"]) {
		it(`answers for ${operator} with a sentence and a cell for each backend with data`, async (t) => {
			const { summary, table, training, releases } = await asked(`operators/${operator}/dispatch`);
			const page = await web.open(t, `${OPERATORS}/${operator}`);
			await settled(page);
			await reads(page.locator("main header"), literally(summary));
			const support = new Map(table.map(({ key, support }) => [key, support]));
			const known = training.filter(({ key }) => support.get(key).unclaimed === null);
			assert.ok(known.length > 4);
			const shown = await cells(page).evaluateAll((cells) =>
				cells.map((cell) => [cell.dataset.key, cell.dataset.verdict, cell.lastChild.textContent]),
			);
			const since = new Map(releases.map(({ key, since }) => [key, since ?? ""]));
			const told = known.map(({ key }) => [key, support.get(key).verdict, since.get(key)]);
			assert.deepEqual(shown, told);
			// Backends without data are named, and have no cell.
			const outside = training.filter((answer) => !known.includes(answer)).map(({ key }) => key);
			const region = page.getByRole("region", { name: "Where it runs" });
			await reads(region, new RegExp(`Out of tree, unknown: ${outside.join(", ")}\\.`));
			const link = region.getByRole("link", { name: "Add a backend file" });
			assert.equal(await link.getAttribute("href"), "/p/pytorch/upgrade");
		});
	}

	it("tells the past of a backend to a mouse and to a keyboard, and Escape hides it", async (t) => {
		const page = await web.open(t, `${OPERATORS}/grid_sampler_2d`);
		const xpu = cells(page).filter({ hasText: /^XPU/ });
		const told = page.getByRole("tooltip");
		await xpu.waitFor();
		await counts(told.locator("visible=true"), 0);
		await xpu.hover();
		await reads(told, /By release: 2\.0\.0 to 2\.13\.\d unknown; since 2\.14\.0 runs\./);
		await page.keyboard.press("Escape");
		await page.mouse.move(0, 0);
		await told.waitFor({ state: "hidden" });
		await xpu.focus();
		await told.waitFor();
		await page.keyboard.press("Escape");
		await told.waitFor({ state: "hidden" });
	});

	it("explains a backend under the cells, and a key of the table beside the table", async (t) => {
		const page = await web.open(t, `${OPERATORS}/grid_sampler_2d?key=XPU`);
		const why = page.getByRole("complementary", { name: "Why XPU" });
		await reads(why, /By release: [\s\S]*since 2\.14\.0 runs/);
		const y = async (locator) => (await locator.boundingBox()).y;
		assert.ok((await y(why)) < (await y(page.getByRole("heading", { name: "Schema" }))));
		await cells(page).filter({ hasText: /^MPS/ }).click();
		await page.waitForURL("**?key=MPS");
		const rows = page.getByRole("list", { name: "Rows of the dispatch table" });
		await rows.locator('[data-key="CPU"]').click();
		await page.waitForURL("**?key=CPU");
		const beside = page.getByRole("complementary", { name: "Why CPU" });
		await beside.waitFor();
		assert.ok((await y(beside)) > (await y(page.getByRole("heading", { name: "Schema" }))));
	});

	it("asks for everything at once", async (t) => {
		const page = await web.open(t, "/rules");
		await settled(page);
		const begun = [];
		const answers = [];
		await page.route("**/v1/**/operators/nonzero**", async (route) => {
			begun.push(new URL(route.request().url()).pathname.split("/").at(-1));
			await new Promise((answer) => answers.push(answer));
			await route.continue();
		});
		await page.goto(`${web.base}${OPERATORS}/nonzero`, { waitUntil: "commit" });
		const parts = ["dispatch", "nonzero", "signatures", "ways"];
		await eventually(async () => assert.deepEqual([...begun].sort(), ["nonzero", ...parts].sort()));
		await page.unroute("**/v1/**/operators/nonzero**");
		for (const answer of answers) answer();
		await settled(page);
	});

	it("draws the backends before anything else has come", async (t) => {
		const held = (route) => (route.request().resourceType() === "fetch" ? undefined : route.continue());
		const routes = { "**/operators/nonzero?*": held, "**/operators/nonzero": held, "**/nonzero/ways*": held };
		const page = await web.open(t, `${OPERATORS}/nonzero`, { routes });
		await cells(page).first().waitFor();
		await counts(page.getByRole("heading", { name: "Schema" }), 0);
	});

	for (const width of [1600, 390]) {
		it(`keeps everything in its place while it loads, ${width} wide`, async (t) => {
			const page = await web.open(t, "/nowhere", { width });
			await watchShifts(page);
			let late = 0;
			await page.route("**/v1/projects/*/revisions/**", async (route) => {
				late += 120;
				await new Promise((done) => setTimeout(done, late));
				await route.continue();
			});
			for (const path of ["grid_sampler_2d", "add.Tensor", "nonzero?key=MPS"]) {
				late = 0;
				await page.goto(`${web.base}${OPERATORS}/${path}`);
				await page.getByRole("heading", { name: "What if" }).waitFor();
				await settled(page);
				const shifted = await page.evaluate(() => window.shifted);
				assert.ok(shifted < 0.05, `${path} moved by ${shifted}`);
			}
		});
	}
});
