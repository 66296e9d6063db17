// What one meets on a bad day: a network that fails for a moment, no https, a token that links
// cannot send, keys that somebody cannot use, and addresses of what is drawn late.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
	eventually,
	importInto,
	NEWEST,
	reads,
	releases,
	run,
	settled,
	site,
	skip,
} from "./harness.mjs";

const OPERATOR = `/p/pytorch/r/${NEWEST}/operators/add.out`;

describe("resilience", { skip, concurrency: false }, () => {
	let database;
	const web = site({
		prepare(at) {
			database = at;
		},
	});

	it("asks again for a part of the program that did not come", async (t) => {
		let asked = 0;
		const page = await web.open(t, "/coverage", {
			fine: [/ERR_FAILED|dynamically imported/],
			routes: {
				"**/assets/Rules-*.js*": (route) => {
					asked += 1;
					return asked === 1 ? route.abort() : route.continue();
				},
			},
		});
		await settled(page);
		await page.getByRole("link", { name: "Rules", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Rules" }).waitFor();
		assert.ok(asked > 1, `asked for ${asked} times`);
	});

	it("asks again for the search, which is a part of its own", async (t) => {
		let asked = 0;
		const page = await web.open(t, "/coverage", {
			fine: [/ERR_FAILED/],
			routes: {
				"**/assets/Palette-*.js*": (route) => {
					asked += 1;
					return asked === 1 ? route.abort() : route.continue();
				},
			},
		});
		await settled(page);
		await page.keyboard.press("/");
		await page.getByRole("combobox", { name: "Search" }).fill("rules");
		await page.getByRole("option", { name: /Rules/ }).first().waitFor();
		assert.ok(asked > 1, `asked for ${asked} times`);
	});

	it("says that the server is not reachable where a part of the program cannot come", async (t) => {
		const page = await web.open(t, "/coverage", { fine: [/ERR_|Failed to fetch|dynamically/] });
		await settled(page);
		await page.context().setOffline(true);
		await page.getByRole("link", { name: "Rules", exact: true }).click();
		const alert = page.getByRole("alert");
		await alert.getByRole("heading", { name: "The server is not reachable" }).waitFor();
		const again = alert.getByRole("button", { name: "Try again" });
		await again.click();
		await again.waitFor();
		await alert.getByRole("heading", { name: "The server is not reachable" }).waitFor();
		await page.context().setOffline(false);
		await again.click();
		await page.getByRole("heading", { level: 1, name: "Rules" }).waitFor();
	});

	it("names what does not exist, suggests once, and does not offer to try again", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add.Tensr`, { fine: [/404/] });
		const alert = page.getByRole("alert");
		await reads(alert, /has no operator add\.Tensr\.\s+Did you mean add\.Tensor\s*\?/);
		const times = async () => (await alert.innerText()).match(/did you mean/gi).length;
		assert.equal(await times(), 1);
		assert.equal(await alert.getByRole("button", { name: "Try again" }).count(), 0);
		await page.goto(`${web.base}/rules/argument-rename`);
		await reads(alert, /unknown rule argument-rename\.\s+Did you mean/);
		assert.equal(await times(), 1);
		await page.goto(`${web.base}/topcs`);
		await reads(page.locator("main"), /You asked for \/topcs[\s\S]*Did you mean \/topics\?/);
		assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
	});

	it("copies without https, and says so where the browser refuses", async (t) => {
		const page = await web.open(t, "/p/pytorch/compare/2.12.1...2.13.0");
		await settled(page);
		await page.context().grantPermissions(["clipboard-read"]);
		await page.evaluate(() => {
			window.read = navigator.clipboard.readText.bind(navigator.clipboard);
			Object.defineProperty(navigator, "clipboard", { value: undefined });
		});
		await page.getByRole("button", { name: "Copy permalink" }).click();
		await page.getByRole("button", { name: "Copied" }).waitFor();
		await eventually(async () =>
			assert.match(await page.evaluate(() => window.read()), /^http:.*\/compare\/sha256:/),
		);
		await page.evaluate(() => {
			document.execCommand = () => false;
		});
		await page.getByRole("button", { name: "Copy permalink" }).click();
		await page.getByRole("button", { name: "Could not copy" }).waitFor();
	});

	it("scrolls to what the fragment names, however late it is drawn", async (t) => {
		const page = await web.open(t, `${OPERATOR}?implement=CPU#implement`);
		await settled(page);
		await eventually(async () => {
			const { y } = await page.locator("#implement").boundingBox();
			assert.ok(y >= 0 && y < 500, `it stands at ${y}`);
		});
	});

	it("turns off the keys without Ctrl, and a letter after `g` does no more than go", async (t) => {
		const page = await web.open(t, "/p/pytorch/compare/2.12.1...2.13.0");
		await settled(page);
		const focused = () => page.evaluate(() => document.activeElement?.closest("article") !== null);
		await page.keyboard.press("g");
		await page.keyboard.press("j");
		assert.ok(!(await focused()));
		await page.keyboard.press("j");
		assert.ok(await focused());
		await page.getByRole("button", { name: "Keys" }).click();
		await page.getByLabel("Keys without Ctrl work").uncheck();
		await page.keyboard.press("Escape");
		await page.reload();
		await settled(page);
		await page.keyboard.press("j");
		await page.keyboard.press("/");
		assert.ok(!(await focused()));
		assert.equal(await page.getByRole("dialog").count(), 0);
		await page.keyboard.press("Control+k");
		await page.getByRole("dialog", { name: "Search" }).waitFor();
	});

	it("`n` after `g` goes to trends, and does not step through what is open", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/files/native_functions.yaml`);
		await page.getByRole("button", { name: /Next finding/ }).waitFor();
		await settled(page);
		const seen = [];
		page.on("framenavigated", (frame) => seen.push(new URL(frame.url())));
		await page.keyboard.press("g");
		await page.keyboard.press("n");
		await page.waitForURL("**/p/pytorch/trends");
		assert.deepEqual(seen.filter(({ hash }) => hash !== ""), []);
	});

	it("shows no comparison under the title of another", async (t) => {
		const page = await web.open(t, "/p/pytorch/compare/2.12.1...2.13.0");
		await settled(page);
		await page.route("**/compare/2.13.0...2.12.1", async (route) => {
			await new Promise((done) => setTimeout(done, 1500));
			await route.continue();
		});
		await page.getByRole("link", { name: "in reverse" }).click();
		await page.getByRole("heading", { level: 1, name: "2.13.0 → 2.12.1" }).waitFor();
		assert.equal(await page.getByRole("region", { name: "Verdict" }).count(), 0);
		await reads(page.getByRole("region", { name: "Verdict" }), /2\.13\.0[\s\S]*2\.12\.1/);
	});

	it("shows at home what was imported meanwhile", async (t) => {
		const page = await web.open(t, "/");
		await settled(page);
		await page.getByRole("link", { name: "Rules", exact: true }).click();
		await settled(page);
		importInto(database, "imported-now", "1", join(releases, "2.12.1"));
		await page.getByRole("link", { name: "Home", exact: true }).click();
		await page.getByText("imported-now").first().waitFor();
	});
});

describe("data where tokens are wanted", { skip, concurrency: false }, () => {
	let token;
	const web = site({
		flags: ["--auth", "all"],
		prepare(database) {
			const rights = ["--all-projects", "--action", "read"];
			const said = run("token", "create", "reader", ...rights, "--database", database);
			token = /opatlas_\S+/.exec(said)?.[0];
		},
	});
	const open = async (t, path) => {
		const page = await web.open(t, "/rules", { fine: [/401/] });
		await page.evaluate((token) => sessionStorage.setItem("opatlas.token", token), token);
		await page.goto(web.base + path);
		await settled(page);
		return page;
	};

	it("a download sends the token", async (t) => {
		const page = await open(t, `/p/pytorch/r/${NEWEST}/files/native_functions.yaml`);
		const downloading = page.waitForEvent("download");
		await page.locator("a[download]").first().click();
		const saved = readFileSync(await (await downloading).path(), "utf8");
		assert.equal(saved, readFileSync(join(releases, NEWEST, "native_functions.yaml"), "utf8"));
	});

	const dataOf = (page) =>
		page.getByRole("region", { name: "Dispatch table" }).getByRole("link", { name: "As data" });

	it("a link to data shows it", async (t) => {
		const page = await open(t, OPERATOR);
		await dataOf(page).click();
		await page.waitForURL("blob:**");
		await reads(page.locator("body"), /"table"/);
	});

	it("what is refused is told of", async (t) => {
		const page = await open(t, OPERATOR);
		await page.evaluate(() => sessionStorage.setItem("opatlas.token", "opatlas_unknown"));
		await dataOf(page).click();
		await page.getByRole("alert").getByRole("link", { name: "Enter a token" }).waitFor();
	});
});
