// What pages cost in a cold browser: when the first and the largest of them is painted, when all of
// it is there, and how long the processor was too busy to answer (total blocking time); and how long
// frames take while the whole matrix scrolls. Medians of several rounds, over the release build.
//
//   ROUNDS=9 node --test --test-reporter=spec benches/web/views.mjs

import { describe, it } from "node:test";
import { settled, site, skip, watchRequests } from "../../tests/web/harness.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const REVISION = "/p/pytorch/r/2.15.0";
const VIEWS = {
	home: "/",
	operators: `${REVISION}/operators`,
	operator: `${REVISION}/operators/add.Tensor`,
	matrix: `${REVISION}/backends?columns=all`,
	key: `${REVISION}/backends/MPS`,
	compare: "/p/pytorch/compare/2.12.1...2.13.0",
	history: "/p/pytorch/operators/add.Tensor/history",
	trends: "/p/pytorch/trends",
	validate: "/validate",
	rules: "/rules",
};

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Notes the work that kept the page from answering, from the beginning on. */
function watch() {
	window.blocked = 0;
	new PerformanceObserver((list) => {
		for (const { duration } of list.getEntries()) window.blocked += Math.max(0, duration - 50);
	}).observe({ type: "longtask", buffered: true });
	new PerformanceObserver((list) => {
		window.largest = list.getEntries().at(-1).startTime;
	}).observe({ type: "largest-contentful-paint", buffered: true });
}

/** What one cold visit of a view costs, in milliseconds. */
async function visit(web, path) {
	const context = await web.browser.newContext({ viewport: { width: 1600, height: 900 } });
	const page = await context.newPage();
	watchRequests(page);
	await page.addInitScript(watch);
	const begun = performance.now();
	await page.goto(web.base + path);
	await settled(page);
	const complete = performance.now() - begun;
	const seen = await page.evaluate(() => ({
		first: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
		largest: window.largest ?? 0,
		blocked: window.blocked,
	}));
	await context.close();
	return { ...seen, complete };
}

/** How long the frames take while the matrix scrolls down and sideways, and back. */
async function frames(web) {
	const context = await web.browser.newContext({ viewport: { width: 1600, height: 900 } });
	const page = await context.newPage();
	watchRequests(page);
	await page.goto(web.base + VIEWS.matrix);
	await settled(page);
	const times = await page.evaluate(async () => {
		const grid = document.querySelector('[role="grid"]');
		const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
		const times = [];
		let last = await frame();
		for (let at = 0; at < 480; at += 1) {
			const sideways = at % 120 < 30;
			const back = at % 240 >= 120 ? -1 : 1;
			grid.scrollBy(sideways ? 120 * back : 0, sideways ? 0 : 120 * back);
			const now = await frame();
			times.push(now - last);
			last = now;
		}
		return times.sort((a, b) => a - b);
	});
	await context.close();
	const at = (share) => times[Math.floor(times.length * share)].toFixed(1);
	return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

describe("pages in a cold browser", { skip }, () => {
	const web = site();

	it("views, in milliseconds", async (t) => {
		// The first visit of all waits for what the service computes once.
		for (const path of Object.values(VIEWS)) await visit(web, path);
		const row = (...columns) => columns.map((text) => `${text}`.padStart(10)).join("");
		t.diagnostic(row("", "first", "largest", "complete", "blocked"));
		for (const [name, path] of Object.entries(VIEWS)) {
			const visits = [];
			for (let round = 0; round < ROUNDS; round += 1) visits.push(await visit(web, path));
			const of = (field) => median(visits.map((visit) => visit[field])).toFixed(0);
			t.diagnostic(row(name, of("first"), of("largest"), of("complete"), of("blocked")));
		}
	});

	it("frames of the matrix", async (t) => {
		for (let round = 0; round < ROUNDS; round += 1) t.diagnostic(await frames(web));
	});
});
