// How the matrix looks: what fills its cells, which columns it shows, and what one takes away.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { eventually, NEWEST, reads, settled, site, skip } from "./harness.mjs";

const MATRIX = `/p/pytorch/r/${NEWEST}/backends`;

describe("looks of the matrix", { skip, concurrency: false }, () => {
	const web = site();
	const asked = async (path) =>
		(await fetch(`${web.base}/v1/projects/pytorch/revisions/${NEWEST}/${path}`)).json();
	const heads = async (page) =>
		(await page.getByRole("columnheader").getByRole("link").allInnerTexts()).map((text) => text.trim());
	const background = (cell) =>
		cell.evaluate((node) => {
			const { backgroundColor, backgroundImage } = getComputedStyle(node);
			return `${backgroundColor} ${backgroundImage}`;
		});

	it("shows keys with data, and folds away those that are unknown throughout", async (t) => {
		const page = await web.open(t, `${MATRIX}?q=add.Tensor`);
		await settled(page);
		const { keys, verdicts } = await asked("matrix");
		const dense = keys.filter(({ functionality }) => functionality === "Dense").map(({ key }) => key);
		const isUnknown = (key) => verdicts.rows.every((row) => row[verdicts.keys.indexOf(key)] === "u");
		const known = dense.filter((key) => !isUnknown(key));
		const unknown = dense.filter(isUnknown);
		assert.ok(known.includes("HIP") && unknown.includes("XLA"));
		await eventually(async () => assert.deepEqual(await heads(page), known));
		await page.getByText(unknown.join(", "), { exact: true }).waitFor();
		await page.getByRole("button", { name: `Show ${unknown.length} columns` }).click();
		await page.waitForURL("**/backends?q=add.Tensor&unknown=show");
		await eventually(async () => assert.deepEqual(await heads(page), [...known, ...unknown]));
		await page.getByRole("link", { name: "Give a backend file" }).click();
		await page.waitForURL(`**/p/pytorch/upgrade?head=${NEWEST}`);
	});

	it("fills cells by whether calls work, each answer otherwise", async (t) => {
		const page = await web.open(t, `${MATRIX}?q=softmax&columns=Sparse&unknown=show`);
		await settled(page);
		const fills = new Map();
		for (const verdict of ["runs", "partly", "fails", "unknown"]) {
			const cell = page.getByRole("gridcell", { name: new RegExp(`: ${verdict};`) }).first();
			fills.set(await background(cell), verdict);
		}
		assert.equal(fills.size, 4, "two answers look alike");
	});

	it("has one legend, in which no symbol stands for two things", async (t) => {
		const page = await web.open(t, `${MATRIX}?columns=all`);
		await settled(page);
		const legend = page.getByRole("main").getByRole("list", { name: /legend|verdicts/i });
		await reads(legend, /Runs[\s\S]*Own kernel/);
		assert.equal(await legend.count(), 1);
		const symbols = await legend.locator("[aria-hidden]").allInnerTexts();
		assert.equal(new Set(symbols).size, symbols.length, symbols.join(" "));
		await page.goto(`${web.base}${MATRIX}`);
		await reads(legend, /Runs/);
		assert.doesNotMatch(await legend.innerText(), /Own kernel/);
	});

	it("draws few rows sharp in the overview", async (t) => {
		const page = await web.open(t, `${MATRIX}?q=softmax&columns=Sparse`);
		await settled(page);
		await eventually(async () => {
			const colors = await page.locator("canvas").evaluate((canvas) => {
				const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
				const found = new Set();
				for (let at = 0; at < data.length; at += 4) found.add(data.slice(at, at + 4).join());
				return found.size;
			});
			// One for each verdict that there is, and none in between.
			assert.ok(colors >= 3 && colors <= 6, `${colors} colors`);
		});
	});

	it("is taken away as CSV and Markdown, as it is filtered", async (t) => {
		const page = await web.open(t, `${MATRIX}?q=grid_sampler&rows=name`);
		await settled(page);
		const take = async (name) => {
			const coming = page.waitForEvent("download");
			await page.getByRole("button", { name }).click();
			const file = await coming;
			return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
		};
		const [csvName, csv] = await take("Download CSV");
		assert.equal(csvName, `pytorch-${NEWEST}-keys.csv`);
		const [head, ...rows] = csv.trim().split("\r\n").map((line) => line.split(","));
		assert.deepEqual(head, ["operator", ...(await heads(page))]);
		const count = Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1;
		assert.equal(rows.length, count);
		const row = rows.find(([operator]) => operator === "grid_sampler_2d");
		const { table } = await asked("operators/grid_sampler_2d/dispatch");
		for (const [at, key] of head.entries()) {
			if (at === 0) continue;
			assert.equal(row[at], table.find((entry) => entry.key === key).support.verdict, key);
		}
		const [name, markdown] = await take("Download Markdown");
		assert.equal(name, `pytorch-${NEWEST}-keys.md`);
		const lines = markdown.trim().split("\n");
		assert.equal(lines.length, count + 2);
		assert.match(markdown, /^\| grid\\_sampler\\_2d \| /m);
	});

	it("shows its first row in the upper half of a phone", async (t) => {
		const page = await web.open(t, MATRIX, { width: 390, height: 844 });
		await settled(page);
		await eventually(async () => {
			const { y } = await page.locator('[data-row="0"]').boundingBox();
			assert.ok(y < 422, `the first row is at ${y}`);
		});
		await page.getByText("Legend and files").click();
		await page.getByRole("button", { name: "Download CSV" }).waitFor();
	});
});
