// Trends as pictures: axes that show what changes, readable dates, zoom, notes that lead to the
// comparison, and small lines on cards.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, NEWEST, reads, RELEASES, settled, site, skip } from "./harness.mjs";
import { importCommits, LINE } from "./longHistory.mjs";

/** Hours, which are days enough for dates to repeat. */
const COMMITS = 60;

describe("trends as pictures", { skip, concurrency: false }, () => {
	const web = site({ prepare: (database, dir) => importCommits(database, dir, COMMITS) });
	const region = (page, name) => page.getByRole("region", { name, exact: true });
	const asked = async (path) => (await fetch(`${web.base}/v1/projects/${path}`)).json();

	it("begin their axis below the lowest value, and say where", async (t) => {
		const page = await web.open(t, "/p/pytorch/trends?keys=MPS");
		await settled(page);
		const { points } = await asked("pytorch/trends");
		const shares = points.map(({ coverage }) => {
			const { served, applicable } = coverage.find(({ key }) => key === "MPS");
			return (served / applicable) * 100;
		});
		const chart = region(page, "Coverage").getByRole("figure");
		await reads(chart, /The axis begins at \d+\.0 %/);
		const begins = Number(/begins at ([\d.]+)/.exec(await chart.innerText())[1]);
		assert.ok(begins > 0 && begins <= Math.min(...shares), `it begins at ${begins}`);
		assert.ok(Math.min(...shares) - begins < 10, "what changes is flat");
	});

	it("hide a line by its name, and the axis follows", async (t) => {
		const page = await web.open(t, "/p/pytorch/trends");
		await settled(page);
		const chart = region(page, "Operators").getByRole("figure");
		const generated = chart.getByRole("button", { name: /^Generated/ });
		assert.equal(await generated.getAttribute("aria-pressed"), "false");
		await reads(chart, /begins at 2,/);
		await generated.click();
		await reads(chart, /begins at 0/);
	});

	it("note how many operators came and went, with the way to the comparison", async (t) => {
		const page = await web.open(t, "/p/pytorch/trends");
		await settled(page);
		const { points } = await asked("pytorch/trends");
		const [before, now] = points.slice(0, 2);
		const change = now.operators - before.operators;
		assert.ok(change !== 0);
		const text = `${change > 0 ? "+" : "−"}${Math.abs(change)} operators`;
		await region(page, "Coverage").getByRole("link", { name: text }).click();
		await page.waitForURL(`**/p/pytorch/compare/${before.label}...${now.label}`);
	});

	it("zoom where one drags, in the address, and back to all", async (t) => {
		const page = await web.open(t, "/p/pytorch/trends");
		await settled(page);
		const plot = region(page, "Coverage").locator(".u-over");
		const { x, y, width, height } = await plot.boundingBox();
		await page.mouse.move(x + width * 0.4, y + height / 2);
		await page.mouse.down();
		await page.mouse.move(x + width * 0.7, y + height / 2, { steps: 4 });
		await page.mouse.move(x + width * 0.98, y + height / 2, { steps: 4 });
		await page.mouse.up();
		await page.waitForURL(`**/trends?from=${RELEASES[1]}&to=${NEWEST}`);
		await counts(region(page, "Coverage, table").getByRole("row"), 3);
		await page.getByRole("button", { name: "Whole timeline" }).click();
		await page.waitForURL("**/p/pytorch/trends");
		await counts(region(page, "Coverage, table").getByRole("row"), RELEASES.length + 1);
	});

	it("of commits show days, and a table that is whole", async (t) => {
		const page = await web.open(t, `/p/${LINE}/trends`);
		// What is drawn into the canvas is noted as it is drawn.
		await page.addInitScript(() => {
			window.drawn = [];
			const fill = CanvasRenderingContext2D.prototype.fillText;
			CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
				if (text) window.drawn.push({ text, x, y, width: this.measureText(text).width });
				return fill.apply(this, arguments);
			};
		});
		await page.reload();
		await settled(page);
		await eventually(async () => {
			const drawn = await page.evaluate(() => window.drawn);
			const days = drawn.filter(({ text }) => /^\w{3} \d+, \d{4}$/.test(text));
			assert.ok(days.length >= 3, JSON.stringify(drawn.slice(0, 9)));
			// One axis: what stands in the order in which it was drawn.
			for (const [at, day] of days.entries()) {
				const next = days[at + 1];
				if (!next || next.x <= day.x) continue;
				assert.ok(day.x + day.width / 2 < next.x - next.width / 2, `${day.text} ${next.text}`);
			}
		});
		const over = await region(page, "Coverage, table").evaluate(
			(box) => box.scrollWidth - box.clientWidth,
		);
		assert.equal(over, 0, "the table is cut off");
	});

	it("stand small on the card of each revision, which does not move", async (t) => {
		const page = await web.open(t, "/p/pytorch");
		await settled(page);
		const lines = page.getByRole("main").getByRole("img", { name: /^Operators from / });
		await counts(lines, RELEASES.length);
		const { points } = await asked("pytorch/trends?coverage=false");
		const drawn = await lines.first().locator("polyline").getAttribute("points");
		assert.equal(drawn.split(" ").length, points.length);
		const marks = await lines.locator("circle").evaluateAll((nodes) =>
			nodes.map((node) => Number(node.getAttribute("cx"))),
		);
		// The newest revision comes first, at the right end.
		assert.deepEqual(marks, [...marks].sort((a, b) => b - a));
		await page.goto(web.base);
		await settled(page);
		await page.getByRole("img", { name: /^Operators from / }).first().waitFor();
	});

	for (const path of [
		"/p/pytorch/trends",
		"/p/pytorch",
		`/p/pytorch/r/${NEWEST}/backends`,
		`/p/pytorch/r/${NEWEST}/backends/MPS`,
	]) {
		it(`does not shift while it loads: ${path}`, async (t) => {
			const page = await web.open(t, "/rules");
			await page.addInitScript(() => {
				window.shift = 0;
				new PerformanceObserver((list) => {
					for (const entry of list.getEntries()) window.shift += entry.value;
				}).observe({ type: "layout-shift", buffered: true });
			});
			await page.goto(web.base + path);
			await settled(page);
			const shift = await page.evaluate(() => window.shift);
			t.diagnostic(`shifted by ${shift.toFixed(4)}`);
			assert.ok(shift < 0.05, `it shifts by ${shift}`);
		});
	}
});
