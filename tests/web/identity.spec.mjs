// What a revision is called: its name is resolved once, the server is asked by its digest, names
// that share their files keep pages of their own, and every address above another is a page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
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

const SAME = "2.15.1";
const SUBJECTS = ["Begin", "Add two", "Drop one"];
const ENTRY = (name) => `- func: ${name}(Tensor self) -> Tensor\n`;

/** A repository of a few commits of the declarations. */
function repository(dir) {
	const git = (...args) =>
		execFileSync("git", ["-C", dir, "-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
			encoding: "utf8",
		}).trim();
	mkdirSync(dir, { recursive: true });
	git("init", "-q");
	const texts = [ENTRY("one"), ENTRY("one") + ENTRY("two"), ENTRY("two")];
	return texts.map((text, at) => {
		writeFileSync(join(dir, "native_functions.yaml"), text);
		git("add", ".");
		git("commit", "-q", "-m", SUBJECTS[at]);
		return git("rev-parse", "HEAD");
	});
}

describe("identity", { skip, concurrency: false }, () => {
	let commits = [];
	const web = site({
		prepare: (database, dir) => {
			importInto(database, "pytorch", SAME, join(releases, NEWEST));
			const clone = join(dir, "clone");
			commits = repository(clone);
			const path = ["--path", "native_functions.yaml"];
			run("import", "--project", "line", "--git", clone, ...path, "--database", database);
		},
	});

	it("resolves a name once, and asks for everything by the digest", async (t) => {
		const page = await web.open(t, "/rules");
		const asked = [];
		page.on("request", (request) => {
			const { pathname } = new URL(request.url());
			if (pathname.startsWith("/v1/projects/pytorch/revisions/")) asked.push(pathname.split("/")[5]);
		});
		await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/operators/add.Tensor`);
		await settled(page);
		await page.getByRole("heading", { name: "Dispatch table" }).waitFor();
		assert.equal(asked.filter((revision) => revision === NEWEST).length, 1);
		const others = asked.filter((revision) => revision !== NEWEST);
		assert.ok(others.length > 0 && others.every((revision) => /^sha256[:%]/.test(revision)), `${asked}`);
		assert.equal(await page.title(), `add.Tensor · pytorch ${NEWEST} · Opatlas`);
	});

	it("labels of the same files keep their names, and share what was asked for", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add.Tensor`);
		await settled(page);
		const asked = [];
		page.on("request", (request) => asked.push(new URL(request.url()).pathname));
		const field = page.getByRole("combobox", { name: "Revision", exact: true });
		await field.click();
		await field.fill(SAME);
		await page.getByRole("listbox").getByRole("option").filter({ hasText: SAME }).first().waitFor();
		await eventually(async () =>
			assert.match((await field.getAttribute("aria-activedescendant")) ?? "", /-0$/),
		);
		await field.press("Enter");
		await page.waitForURL(`**/p/pytorch/r/${SAME}/operators/add.Tensor`);
		await settled(page);
		assert.equal(await field.inputValue(), SAME);
		assert.equal(await page.title(), `add.Tensor · pytorch ${SAME} · Opatlas`);
		const again = asked.filter((path) => path.includes("/operators/"));
		assert.deepEqual(again, []);
		await page.goto(`${web.base}/p/pytorch/r/${SAME}`);
		await reads(page.getByRole("heading", { level: 1 }), new RegExp(`pytorch ${SAME}`));
		// The page of the project has both.
		await page.goto(`${web.base}/p/pytorch`);
		const names = page.getByRole("region", { name: "Revisions" }).locator("ol > li");
		await reads(names.nth(0), /^2\.15\.1/);
		await reads(names.nth(1), /^2\.15\.0/);
	});

	it("a commit is an address, with its subject in the list and its rules", async (t) => {
		const page = await web.open(t, `/p/line/r/${commits[1].slice(0, 9)}`);
		await page.getByText("Add two").first().waitFor();
		await page.goto(`${web.base}/p/line/r/${commits[1].slice(0, 9)}/operators`);
		await page.getByText("2 of 2 operators").waitFor();
		const field = page.getByRole("combobox", { name: "Revision", exact: true });
		await field.click();
		await field.fill("drop");
		await page.getByRole("listbox").getByRole("option").filter({ hasText: "Drop one" }).first().click();
		await page.waitForURL(`**/p/line/r/${commits[2].slice(0, 12)}/operators`);
		await page.getByText("1 of 1 operator").waitFor();
		await page.goto(`${web.base}/p/line/compare/${commits[0].slice(0, 8)}...${commits[2].slice(0, 8)}`);
		await page.getByRole("region", { name: "Verdict" }).waitFor();
	});

	it("a name that means nothing is told of, with names that are near", async (t) => {
		const page = await web.open(t, "/p/pytorch/r/2.15.9/operators", { fine: [/404/] });
		const alert = page.getByRole("alert");
		await reads(alert, /2\.15\.9[\s\S]*Did you mean[\s\S]*Status 404/);
		await alert.getByRole("link", { name: NEWEST, exact: true }).click();
		await page.waitForURL(`**/p/pytorch/r/${NEWEST}`);
	});

	it("every address above a view is a page", async (t) => {
		const page = await web.open(t, "/rules");
		const deep = [
			`/p/pytorch/r/${NEWEST}/operators/add.Tensor`,
			`/p/pytorch/r/${NEWEST}/names/add`,
			`/p/pytorch/r/${NEWEST}/backends/MPS/kernels`,
			`/p/pytorch/r/${NEWEST}/gaps/MPS`,
			`/p/pytorch/r/${NEWEST}/files/native_functions.yaml`,
			`/p/pytorch/compare/2.13.0...${NEWEST}`,
			"/p/pytorch/operators/add.Tensor/history",
			"/topics/dispatch",
		];
		const above = new Set();
		for (const path of deep) {
			const parts = path.split("/");
			for (let end = parts.length - 1; end > 1; end -= 1) above.add(parts.slice(0, end).join("/"));
		}
		for (const path of above) {
			await page.goto(web.base + path);
			await settled(page);
			const heading = await page.getByRole("heading", { level: 1 }).innerText();
			assert.notEqual(heading, "Page not found", path);
			assert.equal(await page.getByRole("alert").count(), 0, path);
		}
	});

	it("another view is announced, and takes the focus that went with the last one", async (t) => {
		const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add.Tensor`);
		await settled(page);
		const link = page.getByRole("link", { name: "add.out", exact: true }).first();
		await link.focus();
		await page.keyboard.press("Enter");
		await page.waitForURL("**/operators/add.out");
		await page.locator("p[aria-live]", { hasText: `add.out · pytorch ${NEWEST}` }).waitFor({ state: "attached" });
		await eventually(async () =>
			assert.equal(await page.evaluate(() => document.activeElement?.tagName), "MAIN"),
		);
	});
});
