// The page of a backend, the history of an operator and the support page: figures that add up, and
// nothing that is not news.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, NEWEST, reads, settled, site, skip } from "./harness.mjs";

const MPS = `/p/pytorch/r/${NEWEST}/backends/MPS`;

describe("backend", { skip, concurrency: false }, () => {
	const web = site();
	const asked = async (path) => (await fetch(`${web.base}/v1/projects/pytorch/${path}`)).json();
	const region = (page, name) => page.getByRole("region", { name, exact: true });
	const number = (text) => Number(text.replaceAll(",", ""));

	it("counts each operator once: figures, verdicts and groups have one total", async (t) => {
		const page = await web.open(t, MPS);
		await settled(page);
		const { items } = await asked(`revisions/${NEWEST}/keys?generated=exclude&limit=1000`);
		const { applicable, working, verdicts } = items.find(({ key }) => key === "MPS").coverage;
		const figures = page.locator("[data-part] > strong");
		await eventually(async () => {
			const shown = (await figures.allInnerTexts()).map(number);
			assert.equal(shown[0], working);
			assert.equal(shown.reduce((sum, n) => sum + n, 0), applicable);
		});
		const rows = region(page, "By verdict, counts").getByRole("row");
		for (const [verdict, many] of Object.entries(verdicts)) {
			if (many === 0) continue;
			const row = rows.filter({ hasText: new RegExp(verdict.replace("-", " "), "i") });
			await reads(row.getByRole("cell").first(), new RegExp(`^${many.toLocaleString("en")}$`));
		}
		await reads(rows.last(), new RegExp(`^All\\s+${applicable.toLocaleString("en")}\\s`));
		for (const label of ["By namespace, counts", "By Python module, counts"]) {
			const cells = await region(page, label).getByRole("cell").allInnerTexts();
			assert.equal(cells.map(number).reduce((sum, n) => sum + n, 0), applicable, label);
		}
	});

	it("paints what fails and what is unknown apart", async (t) => {
		const page = await web.open(t, MPS);
		await settled(page);
		const look = (part) =>
			page.locator(`span[data-part="${part}"]`).first().evaluate((node) => {
				const { backgroundColor, backgroundImage } = getComputedStyle(node);
				return `${backgroundColor} ${backgroundImage}`;
			});
		const looks = await Promise.all(["works", "partly", "fails", "unknown"].map(look));
		assert.equal(new Set(looks).size, 4, looks.join("\n"));
	});

	it("tells what changed since the revision before, and leads to it", async (t) => {
		const page = await web.open(t, MPS);
		await settled(page);
		const { points } = await asked("trends?from=2.13.0");
		const [then, now] = points.map(({ coverage }) => coverage.find(({ key }) => key === "MPS"));
		const change = now.served - then.served;
		assert.ok(change > 0);
		await page.getByRole("link", { name: `+${change} since 2.13.0` }).click();
		await page.waitForURL(`**${MPS}/upgrade?against=2.13.0`);
		await page.getByRole("heading", { name: /^Gained/ }).waitFor();
	});

	it("shows what changed of an operator first, and folds keys of which nothing is known", async (t) => {
		const page = await web.open(t, "/p/pytorch/operators/grid_sampler_3d/history");
		await settled(page);
		const kernels = region(page, "Kernels");
		const { ranges } = await asked("operators/grid_sampler_3d/history");
		const keys = new Map();
		for (const range of ranges.filter(({ key }) => key)) {
			keys.set(range.key, [...(keys.get(range.key) ?? []), range]);
		}
		const isUnknown = (of) => of.every(({ verdict }) => verdict === "unknown");
		const known = [...keys].filter(([, of]) => !isUnknown(of));
		const unknown = [...keys].filter(([, of]) => isUnknown(of)).map(([key]) => key);
		assert.ok(unknown.includes("XLA"));
		const table = region(page, "Kernel by backend and revision");
		const order = known.sort(([, a], [, b]) => Number(b.length > 1) - Number(a.length > 1));
		await eventually(async () => {
			const shown = await table.getByRole("rowheader").allInnerTexts();
			assert.deepEqual(shown, order.map(([key]) => key));
		});
		const fold = kernels.locator("details");
		assert.equal(await fold.evaluate((node) => node.open), false);
		await reads(fold.locator("summary"), new RegExp(`${unknown.length} keys: ${unknown.join(", ")}`));
		await fold.locator("summary").click();
		await counts(fold.getByRole("rowheader"), unknown.length);
	});

	it("completes names of operators and keys", async (t) => {
		const page = await web.open(t, "/p/pytorch/support");
		const operators = page.getByLabel("Operators, separated by commas");
		await operators.fill("bmm, grid_sampler_3");
		const offered = (field) =>
			field.evaluate((node) => [...node.list.options].map(({ value }) => value));
		await eventually(async () => {
			assert.ok((await offered(operators)).includes("bmm, grid_sampler_3d"));
		});
		const keys = page.getByLabel("Keys, separated by commas");
		await keys.fill("CPU, xp");
		await eventually(async () => assert.equal((await offered(keys))[0], "CPU, XPU"));
	});

	it("does not say that something is lost which was never there", async (t) => {
		const path = "/p/pytorch/support?operators=_cudnn_rnn,cholesky&keys=MPS,XPU,CPU";
		const page = await web.open(t, path);
		const cells = region(page, "Support, table").locator("td summary");
		await counts(cells, 6);
		const texts = await cells.allInnerTexts();
		assert.match(texts[0], /^✕ fails$/);
		assert.match(texts[4], /^– removed after 2\.13\.0$/);
		assert.match(texts[5], /^– removed; worked from 2\.12\.1 to 2\.13\.0$/);
		assert.doesNotMatch(texts.join(), /dropped|gone|never/);
	});
});
