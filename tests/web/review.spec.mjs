// A comparison as a review: causes that unfold, marks for what was viewed, findings and entries
// beside the changes, cards of new operators, accepting in place, and the comment.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
	counts,
	eventually,
	everyLook,
	importInto,
	reads,
	run,
	settled,
	site,
	skip,
} from "./harness.mjs";

const RELEASES = "/p/pytorch/compare/2.12.1...2.13.0";
const SMALL = "/p/small/compare/base...head";

const BASE = `- func: blend(Tensor self, Tensor other) -> Tensor
  variants: function
  dispatch:
    CPU: blend_cpu

- func: shift(Tensor self, int by) -> Tensor
  dispatch:
    CPU: shift_cpu
`;
const HEAD = `- func: blend(Tensor self, Tensor end) -> Tensor
  variants: function
  dispatch:
    CPU: blend_cpu
    CUDA: blend_cuda

- func: shift(Tensor(a!) self, int by) -> Tensor
  dispatch:
    CPU: shift_cpu

- func: fresh(Tensor self) -> Tensor
  variants: function, method
  dispatch:
    CPU: fresh_cpu
`;

/** The commits of a project of two. */
const commits = [];

/** A project of two commits. */
function importLine(database, dir) {
	const clone = join(dir, "line");
	mkdirSync(clone);
	const git = (...args) => execFileSync("git", ["-C", clone, ...args], { encoding: "utf8" });
	const who = ["-c", "user.name=A", "-c", "user.email=a@b.c"];
	git("init", "-q", "-b", "main");
	for (const [subject, text] of [
		["Begin with one", "- func: one(Tensor self) -> Tensor\n"],
		["Add two", "- func: one(Tensor self) -> Tensor\n- func: two(Tensor self) -> Tensor\n"],
	]) {
		writeFileSync(join(clone, "native_functions.yaml"), text);
		git("add", ".");
		git(...who, "commit", "-qm", subject);
		commits.push(git("rev-parse", "--short=12", "HEAD").trim());
	}
	const path = ["--path", "native_functions.yaml"];
	run("import", "--project", "line", "--git", clone, ...path, "--database", database);
}

/** Two small revisions of a project of its own. */
function prepare(database, dir) {
	for (const [label, text] of [
		["base", BASE],
		["head", HEAD],
	]) {
		const files = join(dir, label);
		mkdirSync(files);
		writeFileSync(join(files, "native_functions.yaml"), text);
		importInto(database, "small", label, files);
	}
}

const ready = async (page) => {
	await page.getByRole("region", { name: "Verdict" }).waitFor();
	await settled(page);
};
const cause = (page, name) => page.getByRole("article", { name });
const unfold = (page, name) => cause(page, name).locator("[data-cause]").click();
const copied = (page, check) =>
	eventually(async () => check(await page.evaluate(() => navigator.clipboard.readText())));

describe("a review", { skip, concurrency: false }, () => {
	const web = site({
		prepare(database, dir) {
			prepare(database, dir);
			importLine(database, dir);
		},
	});
	const asked = async (path, accept = "application/json") => {
		const response = await fetch(`${web.base}/v1/projects/${path}`, { headers: { accept } });
		return accept === "application/json" ? response.json() : response.text();
	};

	it("accessible and fitting, light and dark, narrow and wide, folded and unfolded", async (t) => {
		const page = await web.open(t, RELEASES);
		await ready(page);
		await everyLook(page, "a folded review");
		await unfold(page, /Dimname/);
		await unfold(page, /_foreach_mm/);
		await unfold(page, /_unique/);
		await cause(page, /Dimname/)
			.getByRole("button", { name: /^Accept/ })
			.click();
		await everyLook(page, "an unfolded review");
	});

	it("shows a release in one screen before anything is unfolded", async (t) => {
		const page = await web.open(t, RELEASES, { width: 1280, height: 900 });
		await ready(page);
		const rest = page.getByRole("button", { name: /need no action/ });
		await eventually(async () => {
			const { y, height } = await rest.boundingBox();
			assert.ok(y + height <= 900, `it ends at ${y + height}`);
		});
		const { causes } = await asked("pytorch/compare/2.12.1...2.13.0");
		await page.getByText(`0 of ${causes.length} viewed`).waitFor();
		await rest.click();
		await counts(page.getByRole("article"), causes.length);
	});

	it("tells an edit of many operators as one, and each of them inside", async (t) => {
		const page = await web.open(t, RELEASES);
		await ready(page);
		await unfold(page, /Dimname/);
		const { causes } = await asked("pytorch/compare/2.12.1...2.13.0");
		const { operators } = causes.find(({ title }) => title.includes("Dimname"));
		const here = cause(page, /Dimname/);
		const named = here.locator("details").filter({ hasText: "align_tensors" }).first();
		await named.locator("summary").first().click();
		await reads(named, /operator removed[\s\S]*align_tensors\(Tensor\[\] tensors\)/);
		await here.getByRole("button", { name: /^Show \d+ more/ }).click();
		await eventually(async () =>
			assert.ok((await here.locator("details").count()) >= operators.length),
		);
	});

	it("opens the cause of the change that the address names", async (t) => {
		const { causes } = await asked("pytorch/compare/2.12.1...2.13.0");
		const print = causes.find(({ title }) => title.includes("kernels for MPS renamed")).changes[40];
		const page = await web.open(t, `${RELEASES}#${print}`);
		await ready(page);
		const marked = page.locator("[data-marked]");
		await marked.waitFor();
		assert.equal(await marked.getAttribute("id"), print);
		await eventually(async () => {
			const box = await marked.boundingBox();
			assert.ok(box.y > 0 && box.y < 900, `it stands at ${box.y}`);
		});
	});

	it("keeps what was viewed in the browser, for each pair of revisions", async (t) => {
		const page = await web.open(t, RELEASES);
		await ready(page);
		await unfold(page, /_unique/);
		await cause(page, /_unique/).getByLabel("Viewed").check();
		const { causes } = await asked("pytorch/compare/2.12.1...2.13.0");
		await page.getByText(`1 of ${causes.length} viewed`).waitFor();
		assert.equal(
			await cause(page, /_unique/).locator("[data-cause]").getAttribute("aria-expanded"),
			"false",
		);
		await page.reload();
		await ready(page);
		assert.ok(await cause(page, /_unique/).getByLabel("Viewed").isChecked());
		await page.goto(`${web.base}/p/pytorch/compare/2.13.0...2.15.0`);
		await ready(page);
		await page.getByText(/^0 of \d+ viewed/).waitFor();
		// The same two revisions by another address.
		const { base, head } = await asked("pytorch/compare/2.12.1...2.13.0");
		await page.goto(`${web.base}/p/pytorch/compare/${base.revision}...${head.revision}`);
		await page.getByText(/^1 of \d+ viewed/).waitFor();
	});

	it("stays at the top with how far it is, and goes to the next that is not viewed", async (t) => {
		const page = await web.open(t, RELEASES);
		await ready(page);
		const bar = page.getByRole("progressbar", { name: "Viewed" });
		const focused = () =>
			page.evaluate(() => document.activeElement?.closest("article")?.ariaLabel ?? "");
		const at = async (name) => {
			await eventually(async () => assert.match(await focused(), name));
			const y = (await cause(page, name).boundingBox()).y;
			assert.ok(y > 0 && y < 900, `it stands at ${y}`);
		};
		await page.getByRole("button", { name: /^Next/ }).click();
		await at(/Dimname/);
		const isOpen = (name) => cause(page, name).locator("[data-cause]").getAttribute("aria-expanded");
		assert.equal(await isOpen(/Dimname/), "true");
		await page.keyboard.press("v");
		await page.getByText(/^1 of \d+ viewed/).waitFor();
		assert.equal(await isOpen(/Dimname/), "false");
		await page.keyboard.press("n");
		await at(/_unique/);
		await page.keyboard.press("p");
		await eventually(async () => assert.doesNotMatch(await focused(), /_unique|Dimname/));
		await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
		await eventually(async () => {
			const { y } = await bar.boundingBox();
			assert.ok(y >= 0 && y < 200, `it stands at ${y}`);
		});
	});

	it("has a tree by file that leads to every cause, also to folded ones", async (t) => {
		const page = await web.open(t, RELEASES);
		await ready(page);
		const tree = page.getByRole("navigation", { name: "Causes by file" });
		const { causes, changes } = await asked("pytorch/compare/2.12.1...2.13.0");
		const fileOf = new Map(changes.map(({ fingerprint, file }) => [fingerprint, file]));
		const files = new Set(causes.map(({ changes }) => fileOf.get(changes[0])));
		await counts(tree.locator("summary"), files.size);
		await tree.getByRole("button").last().click();
		await eventually(async () =>
			assert.ok(await page.evaluate(() => document.activeElement?.closest("article") !== null)),
		);
		await page.keyboard.press("v");
		await tree.getByRole("button", { name: /viewed$/ }).waitFor();
	});

	it("asks of releases what they mean, and of anything else what to undo", async (t) => {
		const page = await web.open(t, RELEASES);
		await ready(page);
		await page.getByRole("region", { name: "What breaks for you" }).waitFor();
		await page.goto(web.base + SMALL);
		await ready(page);
		await page.getByRole("region", { name: "Undo or accept" }).waitFor();
	});

	it("leaves the filters where they are from tab to tab", async (t) => {
		const page = await web.open(t, SMALL);
		await ready(page);
		const top = async () => (await page.getByRole("search").boundingBox()).y;
		const before = await top();
		for (const name of [/Changes by operator/, /Dispatch tables/, /Review/]) {
			await page.getByRole("tab", { name }).click();
			await page.getByRole("tab", { name, selected: true }).waitFor();
			assert.equal(await top(), before, `${name}`);
		}
	});

	it("names commits by their subjects", async (t) => {
		const page = await web.open(t, `/p/line/compare/${commits[0]}...${commits[1]}`);
		await ready(page);
		await page.getByRole("heading", { level: 1, name: "Begin with one → Add two" }).waitFor();
		await reads(page.getByRole("region", { name: "Verdict" }), /Begin with one[\s\S]*Add two/);
		await page.goto(`${web.base}/compare?project=line`);
		await page.getByRole("link", { name: /^Add two/ }).waitFor();
	});

	it("steps through causes with j and k, and Enter unfolds", async (t) => {
		const page = await web.open(t, RELEASES);
		await ready(page);
		const focused = () =>
			page.evaluate(() => document.activeElement?.closest("article")?.ariaLabel ?? "");
		await page.keyboard.press("j");
		assert.match(await focused(), /Dimname/);
		await page.keyboard.press("j");
		assert.match(await focused(), /_unique/);
		await page.keyboard.press("Enter");
		await cause(page, /_unique/).getByText("dynamic_output_shape").nth(1).waitFor();
		await page.keyboard.press("k");
		assert.match(await focused(), /Dimname/);
	});

	it("sets the entry, the findings and the card of a new operator beside the change", async (t) => {
		const page = await web.open(t, SMALL);
		await ready(page);
		const { findings } = await asked("small/compare/base...head");
		const found = findings.new.find(({ operator }) => operator === "shift");
		await reads(cause(page, /shift/).getByRole("list", { name: "New findings" }), /shift/);
		await cause(page, /shift/).getByRole("link", { name: found.rule, exact: true }).waitFor();
		await unfold(page, /blend/);
		const diff = cause(page, /blend/).getByRole("region", { name: "Entry before and after" });
		await reads(diff, /removed:[\s\S]*Tensor other[\s\S]*added:[\s\S]*Tensor end/);
		await reads(diff, /CUDA: blend_cuda/);
		await unfold(page, /fresh/);
		const card = page.getByRole("region", { name: "New operator fresh" });
		await reads(card, /Runs on\s+CPU[\s\S]*Out form\s+missing[\s\S]*fresh\.out/);
		await reads(card, /function of torch, method of Tensor/);
		await reads(card, /fresh_cpu\(const at::Tensor & self\)/);
	});

	it("does the same for pasted texts", async (t) => {
		const page = await web.open(t, "/compare?from=files");
		await page.getByLabel("Base (old)", { exact: true }).fill(BASE);
		await page.getByLabel("Head (new)", { exact: true }).fill(HEAD);
		await page.getByRole("button", { name: "Compare", exact: true }).click();
		await ready(page);
		await unfold(page, /blend/);
		const here = cause(page, /blend/);
		await reads(here.getByRole("region", { name: "Entry before and after" }), /Tensor end/);
		await here.getByRole("button", { name: /^Accept/ }).click();
		await here.getByRole("button", { name: "Copy command" }).waitFor();
		await counts(here.getByRole("button", { name: /^Accept in/ }), 0);
	});

	it("copies the comment that the API gives", async (t) => {
		const page = await web.open(t, RELEASES);
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await ready(page);
		await page.getByRole("button", { name: "Copy as comment" }).click();
		const said = await asked(
			"pytorch/compare/2.12.1...2.13.0?max_chars=65000&part=1",
			"text/markdown",
		);
		await copied(page, (text) => assert.equal(text, said));
	});

	it("accepts in place, and lists the exception with its end", async (t) => {
		const page = await web.open(t, SMALL);
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await ready(page);
		await unfold(page, /blend/);
		const here = cause(page, /blend/);
		await here.getByRole("button", { name: /^Accept/ }).click();
		await here.getByLabel("Reason").fill("it's agreed");
		await here.getByLabel(/^Until/).fill("3.0");
		await here.getByLabel("Owner").fill("core");
		await here.getByRole("button", { name: "Copy command" }).click();
		await copied(page, (text) =>
			assert.match(
				text,
				/^opatlas exception add blend argument-renamed --argument other --reason 'it'\\''s agreed' --until 3\.0 --owner core$/m,
			),
		);
		await here.getByRole("button", { name: "Copy for opatlas.toml" }).click();
		await copied(page, (text) => assert.match(text, /\[\[exception\]\][\s\S]*until = "3\.0"/));
		await here.getByRole("button", { name: "Accept in small" }).click();
		const listed = page.getByText(/exceptions? match(es)? changes/);
		await listed.click();
		const row = page
			.getByRole("list", { name: "Exceptions" })
			.getByRole("listitem")
			.filter({ hasText: "argument-renamed" });
		await reads(row, /active[\s\S]*blend argument-renamed[\s\S]*it's agreed[\s\S]*core, until 3\.0/);
		const { items } = await asked("small/exceptions");
		const one = items.find(({ rule }) => rule === "argument-renamed");
		assert.deepEqual(
			[one.operator, one.reason, one.until_release, one.owner],
			["blend", "it's agreed", "3.0", "core"],
		);
	});

	it("revokes an accepted change, whose breakage counts again", async (t) => {
		await fetch(`${web.base}/v1/projects/small/exceptions`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({
				operator: "shift",
				rule: "mutability-gained",
				reason: "to be revoked",
			}),
		});
		const page = await web.open(t, SMALL);
		await ready(page);
		await page.getByText(/exceptions? match(es)? changes/).click();
		const list = page.getByRole("list", { name: "Exceptions" });
		const row = list.getByRole("listitem").filter({ hasText: "to be revoked" });
		await row.getByRole("button", { name: "Revoke …" }).click();
		await row.getByRole("button", { name: "Keep it" }).click();
		await row.getByRole("button", { name: "Revoke …" }).click();
		await row.getByRole("button", { name: "Revoke this exception" }).click();
		await counts(list.getByRole("listitem").filter({ hasText: "to be revoked" }), 0);
		const { items } = await asked("small/exceptions");
		assert.ok(items.every(({ reason }) => reason !== "to be revoked"));
	});

	it("follows the level that fails, in the verdict, the address and the comment", async (t) => {
		const page = await web.open(t, "/p/pytorch/compare/2.12.1...2.13.0");
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await ready(page);
		const verdict = page.getByRole("region", { name: "Verdict" });
		await reads(verdict, /Fails[\s\S]*breaking changes make it fail/);
		await page.getByLabel("Fails on").selectOption("never");
		await reads(verdict, /Warns[\s\S]*no change makes it fail/);
		assert.match(page.url(), /[?&]fail_on=never/);
		await page.getByRole("button", { name: "Copy as comment" }).click();
		const path = "pytorch/compare/2.12.1...2.13.0?fail_on=never&max_chars=65000&part=1";
		const said = await asked(path, "text/markdown");
		await copied(page, (text) => assert.equal(text, said));
	});
});

describe("a review where changes need a token", { skip, concurrency: false }, () => {
	let token;
	const web = site({
		flags: ["--auth", "writes"],
		prepare(database, dir) {
			prepare(database, dir);
			const rights = ["--all-projects", "--action", "read", "--action", "except"];
			const said = run("token", "create", "reviewer", ...rights, "--database", database);
			token = /opatlas_\S+/.exec(said)?.[0];
		},
	});

	it("leads to the place for a token, and accepts with it", async (t) => {
		const page = await web.open(t, SMALL, { fine: [/401/] });
		await ready(page);
		const accept = async () => {
			await unfold(page, /blend/);
			const here = cause(page, /blend/);
			await here.getByRole("button", { name: /^Accept/ }).click();
			await here.getByLabel("Reason").fill("agreed");
			await here.getByRole("button", { name: "Accept in small" }).click();
		};
		await accept();
		await cause(page, /blend/).getByRole("alert").getByRole("link", { name: "Enter a token" }).waitFor();
		await page.evaluate((token) => sessionStorage.setItem("opatlas.token", token), token);
		await page.reload();
		await ready(page);
		await accept();
		await page.getByText(/exceptions? match(es)? changes/).waitFor();
	});
});
