// What every browser test needs: the real program on a free port over a database with real
// releases, and Debian's Chromium. Under `run.mjs`, files that change nothing share a server; every
// other file starts its own.
//
// The machine may be slow, and an address changes before what it stands for is drawn. So a test
// never reads at once what something asynchronous brings about: it waits for it with a locator,
// with `reads` or `counts`, or with any assertions inside `eventually`. To see whether it does,
// OPATLAS_WEB_SLOWNESS=8 makes every page as if the processor were eight times slower.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(join(root, "web/package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** The releases that the tests look at. */
export const RELEASES = ["2.12.1", "2.13.0", "2.15.0"];
/** The newest of them, which `latest` stands for. */
export const NEWEST = "2.15.0";
/** The folder that has the files of each release. */
export const releases = process.env.OPATLAS_RELEASES_DIR ?? join(root, ".cache/releases");
const program = process.env.OPATLAS_PROGRAM ?? join(root, "target/debug/opatlas");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** How many times slower pages are made than the machine would have them. */
const slowness = Number(process.env.OPATLAS_WEB_SLOWNESS ?? 1);
/** The server that files share when `run.mjs` started one. */
const SHARED = process.env.OPATLAS_WEB_BASE;
/** How long anything may take before a test gives it up, in milliseconds: far more than it takes. */
const PATIENCE = 60_000;

/** Why the tests cannot run here; `false` where they can. Without releases they may be skipped. */
export const skip = (() => {
	const missing = RELEASES.filter((v) => !existsSync(join(releases, v, "native_functions.yaml")));
	if (missing.length === 0) return false;
	const why = `${releases} has no ${missing.join(", ")}: run \`make releases\``;
	if (process.env.OPATLAS_REQUIRE_RELEASES === "1") throw new Error(why);
	return why;
})();

const SWITCHES = [
	"--headless",
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** Runs a command of the program, and gives what it prints. */
export function run(...args) {
	return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Imports a folder as a revision. */
export function importInto(database, project, label, dir) {
	run("import", "--project", project, "--dir", dir, "--label", label, "--database", database);
}

/** A database with the releases, made once for each build of the program. */
function seed() {
	const dir = join(root, "target/web-tests");
	const path = join(dir, "seed.db");
	const isFresh = existsSync(path) && statSync(path).mtimeMs > statSync(program).mtimeMs;
	if (isFresh) return path;
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	const making = join(dir, "making.db");
	for (const release of RELEASES) {
		importInto(`sqlite://${making}`, "pytorch", release, join(releases, release));
	}
	copyFileSync(making, path);
	return path;
}

/**
 * Starts the program over a copy of the seed; `prepare` may change the database first, and `flags`
 * are further ones of `serve`.
 */
export async function start(prepare, flags = []) {
	const dir = mkdtempSync(join(tmpdir(), "opatlas-web-"));
	const path = join(dir, "test.db");
	copyFileSync(seed(), path);
	const database = `sqlite://${path}`;
	await prepare?.(database, dir);
	// A server that has much to do answers late; it must not turn requests away meanwhile.
	const waits = ["--patience", "120", "--request-timeout", "300"];
	const serve = ["serve", "--listen", "127.0.0.1:0", "--database", database, ...waits, ...flags];
	const child = spawn(program, serve, {
		env: { ...process.env, OPATLAS_LOG: "error" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const base = await new Promise((resolve, reject) => {
		let said = "";
		child.stdout.on("data", (chunk) => {
			said += chunk;
			const address = /listens on (http:\S+)/.exec(said)?.[1];
			if (address) resolve(address);
		});
		child.on("exit", (code) => reject(new Error(`the program ended with ${code}: ${said}`)));
	});
	const stop = async () => {
		child.removeAllListeners("exit");
		const ended = new Promise((resolve) => child.on("exit", resolve));
		child.kill();
		await ended;
		rmSync(dir, { recursive: true, force: true });
	};
	return { base, stop };
}

/**
 * The program and a browser for the tests of a file. `open` opens a path in a window of its own and
 * fails the test at its end for whatever the console complains of. `routes` are handlers by pattern
 * that stand between the page and the server from the first request on: one that is set while the
 * page is open can miss a request that is made at the same moment.
 */
export function site({ prepare, flags = [] } = {}) {
	const site = { base: "", server: undefined, browser: undefined };
	before(async () => {
		if (skip) return;
		if (!existsSync(browserPath)) {
			throw new Error(`there is no ${browserPath}: apt-get install chromium, or set CHROMIUM`);
		}
		if (SHARED && !prepare && flags.length === 0) {
			site.base = SHARED;
		} else {
			site.server = await start(prepare, flags);
			site.base = site.server.base;
		}
		site.browser = await chromium.launch({
			executablePath: browserPath,
			args: SWITCHES,
			timeout: 2 * PATIENCE,
		});
	});
	after(async () => {
		await site.browser?.close();
		await site.server?.stop();
	});
	site.open = async (t, path, how = {}) => {
		const { width = 1600, height = 900, theme = "light", fine = [], routes = {} } = how;
		const context = await site.browser.newContext({
			viewport: { width, height },
			colorScheme: theme,
			reducedMotion: "reduce",
		});
		const page = await context.newPage();
		page.setDefaultTimeout(PATIENCE);
		if (slowness > 1) {
			const session = await context.newCDPSession(page);
			await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
		}
		watchRequests(page);
		const complaints = [];
		page.on("pageerror", (error) => complaints.push(`${error}`));
		page.on("console", (message) => {
			const text = `${message.text()} ${message.location().url}`;
			// The page for an address that means nothing has status 404; `serving.spec.mjs` checks it.
			const isPage = message.location().url === page.url() && /404/.test(message.text());
			const isFine = isPage || fine.some((pattern) => pattern.test(text));
			if (["error", "warning"].includes(message.type()) && !isFine) complaints.push(text);
		});
		page.on("dialog", (dialog) => {
			complaints.push(`a dialog: ${dialog.message()}`);
			void dialog.dismiss();
		});
		t.after(async () => {
			await context.close();
			assert.deepEqual(complaints, []);
		});
		for (const [pattern, handler] of Object.entries(routes)) await page.route(pattern, handler);
		await page.goto(site.base + path);
		return page;
	};
	return site;
}

/**
 * Runs a check with assertions, again and again until it passes; what it threw last is thrown when
 * it did not within the time of patience.
 */
export async function eventually(check) {
	const end = performance.now() + PATIENCE;
	for (;;) {
		try {
			return await check();
		} catch (error) {
			if (performance.now() > end) throw error;
		}
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** Waits until what is written there matches. */
export function reads(locator, pattern) {
	return eventually(async () => assert.match(await locator.innerText({ timeout: 1000 }), pattern));
}

/** Waits until there are so many. */
export function counts(locator, count) {
	return eventually(async () => assert.equal(await locator.count(), count));
}

/** Chooses a revision in the field of this name, by words. */
export async function chooseRevision(page, name, words) {
	const field = page.getByRole("combobox", { name, exact: true });
	await field.click();
	await field.fill(words);
	const option = page.getByRole("listbox").getByRole("option").filter({ hasText: words });
	await option.first().click();
	await option.first().waitFor({ state: "detached" });
}

/** The requests of each page that have not been answered yet. */
const underway = new WeakMap();

/** Notes what a page asks for, which `settled` needs to know. */
export function watchRequests(page) {
	const requests = new Set();
	underway.set(page, requests);
	page.on("request", (request) => requests.add(request));
	page.on("requestfinished", (request) => requests.delete(request));
	page.on("requestfailed", (request) => requests.delete(request));
	// What a page is refused it may leave unread, and then it never finishes.
	page.on("response", (response) => {
		if (response.status() >= 400) requests.delete(response.request());
	});
}

/** Waits until nothing is loading: nothing says so, and nothing has been asked of the server. */
export async function settled(page) {
	let calm = 0;
	await eventually(async () => {
		const isLoading = await page.evaluate(() => {
			const drawn = new Promise((done) =>
				requestAnimationFrame(() => requestAnimationFrame(done)),
			);
			return drawn.then(
				() =>
					document.querySelector("h1") === null ||
					document.querySelector('[role="status"][aria-label="Loading"]') !== null,
			);
		});
		const isCalm = !isLoading && underway.get(page).size === 0;
		calm = isCalm ? calm + 1 : 0;
		// What has just come may ask for more when it is drawn.
		assert.ok(calm > 1, "the page is still loading");
	});
}

/** How much a page has: its elements, and what its script holds once the garbage is gone, in bytes. */
export async function weigh(page) {
	const session = await page.context().newCDPSession(page);
	await session.send("HeapProfiler.enable");
	await session.send("HeapProfiler.collectGarbage");
	const { usedSize: heap } = await session.send("Runtime.getHeapUsage");
	await session.detach();
	const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
	return { nodes, heap };
}

/** Fails for whatever an automated check of accessibility (WCAG 2.2 AA) finds. */
export async function accessible(page, where) {
	await settled(page);
	if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
	// Right after a change of theme or width some of what is drawn still has its old look; what is
	// wrong stays wrong.
	await eventually(async () => assert.deepEqual(await faults(page), [], where));
}

/** What the accessibility check finds on a page that it has been put into. */
function faults(page) {
	return page.evaluate(async () => {
		// What the header covers after a scroll is no target until one scrolls back.
		window.scrollTo(0, 0);
		const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
		const { violations } = await window.axe.run(document, { runOnly: tags });
		return violations.map(({ id, help, nodes }) => ({
			id,
			help,
			nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`),
		}));
	});
}

/** Fails where something sticks out of the window sideways. */
export async function fits(page, where) {
	await eventually(async () => {
		const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		assert.ok(over <= 0, `${where} is ${over} pixels too wide`);
	});
}

/** Widths of a desktop and a phone, in pixels, at which a view must be accessible. */
const CHECKED_WIDTHS = [1600, 390];
/** All widths that a view must fit into, in pixels. */
const WIDTHS = [1600, 1280, 1024, 390, 360];

/**
 * Checks that a view fits at every width and is accessible in both themes. The view is loaded once;
 * the window and the theme change around it.
 */
export async function everyLook(page, where) {
	for (const width of WIDTHS) {
		await page.setViewportSize({ width, height: 900 });
		await fits(page, `${where}, ${width} wide`);
		if (!CHECKED_WIDTHS.includes(width)) continue;
		for (const colorScheme of ["light", "dark"]) {
			await wear(page, colorScheme);
			await accessible(page, `${where}, ${colorScheme}, ${width} wide`);
		}
	}
}

/** Switches the theme, and waits until it is drawn, a little later. */
async function wear(page, colorScheme) {
	await page.emulateMedia({ colorScheme });
	await page.waitForFunction((scheme) => {
		const probe = document.body.appendChild(document.createElement("i"));
		probe.style.color = "light-dark(rgb(1, 1, 1), rgb(2, 2, 2))";
		const { color } = getComputedStyle(probe);
		probe.remove();
		return color === (scheme === "light" ? "rgb(1, 1, 1)" : "rgb(2, 2, 2)");
	}, colorScheme);
	await page.evaluate(
		() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
	);
}
