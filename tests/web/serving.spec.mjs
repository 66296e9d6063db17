// How the interface is served: its policy, its caching, its size.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { NEWEST, settled, site, skip } from "./harness.mjs";
import { PAGES } from "./pages.mjs";

const PAGE = { accept: "text/html" };
/** The most that the first view may load of script, compressed. */
const BUDGET = 150 * 1024;

describe("serving", { skip, concurrency: false }, () => {
	const web = site();
	const get = (path, headers) => fetch(web.base + path, { headers });

	it("every view is a page, under a strict policy", async () => {
		for (const [path, status] of [
			["/", 200],
			[`/p/pytorch/r/${NEWEST}/operators/add.Tensor`, 200],
			["/nowhere", 404],
		]) {
			const response = await get(path, PAGE);
			assert.equal(response.status, status);
			assert.match(await response.text(), /<div id="root">/);
			const policy = response.headers.get("content-security-policy");
			assert.match(policy, /default-src 'self'/);
			assert.match(policy, /frame-ancestors 'none'/);
			assert.doesNotMatch(policy, /unsafe/);
			assert.equal(response.headers.get("x-content-type-options"), "nosniff");
			assert.equal(response.headers.get("cache-control"), "no-cache");
			if (status === 404) continue;
			const again = await get(path, { ...PAGE, "if-none-match": response.headers.get("etag") });
			assert.equal(again.status, 304);
		}
	});

	it("every address of a view is a page, whatever is accepted", async () => {
		// Other projects and runs of the probe are in the databases of other files.
		const isElsewhere = /^\/p\/(?!pytorch|none)|\/probe\/(?!none)/;
		const isHere = ({ path }) => path !== "/nowhere" && !isElsewhere.test(path);
		// A base name and a removed operator have pages, although the API does not have them.
		const others = ["a base name", "removed", "no such key"];
		for (const { page, state, path, fine } of PAGES.filter(isHere)) {
			const response = await get(path, { accept: "*/*" });
			await response.text();
			assert.match(response.headers.get("content-type"), /text\/html/, path);
			const exists = (fine.length === 0) !== others.includes(state);
			assert.equal(response.status, exists ? 200 : 404, `${page}, ${state}: ${path}`);
		}
	});

	it("a link says what its page answers", async () => {
		const at = `/p/pytorch/r/${NEWEST}/operators/grid_sampler_2d`;
		const text = await (await get(at, { accept: "*/*" })).text();
		assert.match(text, new RegExp(`<title>grid_sampler_2d · pytorch ${NEWEST} · Opatlas</title>`));
		assert.match(text, /og:description" content="grid_sampler_2d: Works on CPU, CUDA, HIP, MPS/);
		const image = /og:image" content="([^"]+)"/.exec(text)[1];
		const card = await get(image);
		assert.match(card.headers.get("content-type"), /image\/svg/);
		assert.match(await card.text(), /MPS.*runs.*since/s);
	});

	it("what is no view stays a problem", async () => {
		for (const [path, headers] of [
			["/v1/nowhere", PAGE],
			["/assets/nowhere.js", PAGE],
			["/nowhere", { accept: "application/json" }],
		]) {
			const response = await get(path, headers);
			assert.equal(response.status, 404, path);
			assert.match(response.headers.get("content-type"), /problem\+json/);
		}
		const response = await fetch(`${web.base}/nowhere`, { method: "POST", headers: PAGE });
		assert.equal(response.status, 404);
	});

	it("hashed files may be kept for ever, and come compressed", async () => {
		const page = await (await get("/", PAGE)).text();
		const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)[1];
		const response = await get(script, { "accept-encoding": "gzip" });
		assert.match(response.headers.get("cache-control"), /max-age=31536000, immutable/);
		assert.equal(response.headers.get("content-encoding"), "gzip");
		assert.match(response.headers.get("content-type"), /text\/javascript/);
	});

	it("the first view loads little script, all of it from here", async (t) => {
		const scripts = new Map();
		const foreign = [];
		const page = await web.open(t, "/nowhere");
		page.on("request", (request) => {
			if (!request.url().startsWith(web.base)) foreign.push(request.url());
		});
		page.on("response", (response) => {
			if (response.request().resourceType() === "script" && response.status() === 200) {
				scripts.set(response.url(), response.body());
			}
		});
		const begun = performance.now();
		await page.goto(`${web.base}/`);
		await settled(page);
		const usable = performance.now() - begun;
		let bytes = 0;
		for (const body of scripts.values()) bytes += gzipSync(await body).length;
		const paint = await page.evaluate(
			() =>
				new Promise((resolve) => {
					new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime)).observe({
						type: "largest-contentful-paint",
						buffered: true,
					});
				}),
		);
		t.diagnostic(
			`script ${(bytes / 1024).toFixed(1)} KB gzipped in ${scripts.size} files; ` +
				`all loaded after ${usable.toFixed(0)} ms; largest paint at ${paint.toFixed(0)} ms`,
		);
		assert.deepEqual(foreign, []);
		assert.ok(bytes > 0 && bytes <= BUDGET, `${bytes} bytes`);
	});
});
