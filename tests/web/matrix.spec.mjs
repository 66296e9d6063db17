// The matrix: what it shows, its keys, and how it scrolls.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, NEWEST, reads, settled, site, skip } from "./harness.mjs";

const MATRIX = `/p/pytorch/r/${NEWEST}/backends`;

describe("matrix", { skip, concurrency: false }, () => {
	const web = site();

	/** Waits until the cell of a row and column has the focus. */
	const focused = (page, row, column) =>
		eventually(async () => {
			const at = await page.evaluate(() => {
				const cell = document.activeElement;
				const row = cell?.closest("[data-row]");
				return row && [Number(row.dataset.row), Number(cell.dataset.column)];
			});
			assert.deepEqual(at, [row, column]);
		});

	it("says how large it is, and shows what the API says", async (t) => {
		const page = await web.open(t, `${MATRIX}?columns=all&q=add.Tensor`);
		await settled(page);
		const grid = page.getByRole("grid");
		await eventually(async () => assert.equal(await grid.getAttribute("aria-colcount"), "138"));
		const row = grid.getByRole("row").filter({ has: page.getByRole("link", { name: "add.Tensor", exact: true }) });
		const table = `/v1/projects/pytorch/revisions/${NEWEST}/operators/add.Tensor/dispatch`;
		const entries = (await (await fetch(web.base + table)).json()).table;
		for (const key of ["CPU", "MPS", "XLA"]) {
			const { reason, support } = entries.find((entry) => entry.key === key);
			const name = new RegExp(`^${key}: ${support.verdict}; ${reason}`);
			await row.getByRole("gridcell", { name }).waitFor();
		}
	});

	it("moves by keys, keeps the focus while it scrolls, and explains by Enter", async (t) => {
		const page = await web.open(t, `${MATRIX}?columns=all`);
		await settled(page);
		const cells = page.locator('[role="gridcell"][tabindex="0"]');
		await cells.focus();
		await page.keyboard.press("ArrowDown");
		await focused(page, 1, 0);
		await page.keyboard.press("ArrowRight");
		await focused(page, 1, 1);
		await page.keyboard.press("ArrowRight");
		await focused(page, 1, 2);
		await page.keyboard.press("PageDown");
		await focused(page, 21, 2);
		await page.keyboard.press("End");
		await focused(page, 21, 136);
		await page.keyboard.press("Control+End");
		await focused(page, 3109, 136);
		await page.getByRole("grid").evaluate((grid) => grid.scrollTo(0, 0));
		await page.locator('[data-row="0"]').waitFor();
		await focused(page, 3109, 136);
		await page.keyboard.press("Control+Home");
		await focused(page, 0, 0);
		await page.keyboard.press("ArrowRight");
		await focused(page, 0, 1);
		await page.keyboard.press("Enter");
		await page.getByRole("complementary", { name: "Why CPU" }).getByText("Steps of the dispatcher").waitFor();
		assert.match(page.url(), /cell=_cast_Byte,CPU/);
		await counts(cells, 1);
	});

	it("filters and orders, in the address", async (t) => {
		const page = await web.open(t, MATRIX);
		await settled(page);
		await page.getByLabel("Order of rows").selectOption("least");
		await page.getByLabel("Key", { exact: true }).selectOption("MPS");
		await page.getByLabel("Reason at MPS").selectOption("missing");
		await page.waitForURL("**/backends?key=MPS&reason=missing&rows=least");
		const at = page.locator('[role="gridcell"][aria-label^="MPS: "]');
		const without = page.locator('[role="gridcell"][aria-label^="MPS: "][aria-label*="; missing"]');
		await eventually(async () => {
			const [all, missing] = [await at.count(), await without.count()];
			assert.ok(all > 0);
			assert.equal(missing, all);
		});
		await page.getByLabel("Order of columns").selectOption("most");
		await page.waitForURL("**order=most&**");
		await reads(page.getByRole("columnheader").nth(1), /^CUDA/);
	});

	it("scrolls both ways; the times of frames are reported", async (t) => {
		const page = await web.open(t, `${MATRIX}?columns=all`);
		await settled(page);
		const { times, nodes, heap } = await page.evaluate(async () => {
			const grid = document.querySelector('[role="grid"]');
			const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
			const nodes = () => document.querySelectorAll("*").length;
			const times = [];
			let last = await frame();
			const first = nodes();
			let most = first;
			const before = performance.memory?.usedJSHeapSize ?? 0;
			for (let at = 0; at < 240; at += 1) {
				const sideways = at % 120 < 30;
				const back = at >= 120 ? -1 : 1;
				grid.scrollBy(sideways ? 120 * back : 0, sideways ? 0 : 120 * back);
				const now = await frame();
				times.push(now - last);
				last = now;
				most = Math.max(most, nodes());
			}
			const heap = ((performance.memory?.usedJSHeapSize ?? 0) - before) / 1e6;
			return { times, nodes: [first, most], heap };
		});
		times.sort((a, b) => a - b);
		const at = (share) => times[Math.floor(times.length * share)].toFixed(1);
		t.diagnostic(
			`frames: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(0.999)} ms; ` +
				`nodes ${nodes.join(" to ")}; heap grew by ${heap.toFixed(1)} MB`,
		);
		// Only what is seen is in the document, however far one scrolls.
		assert.ok(nodes[1] < 8000, `${nodes[1]} nodes`);
	});
});
