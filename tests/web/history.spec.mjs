// Over all revisions: the history of an operator, trends, gap lists, support, what an upgrade costs
// a backend, and the search.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
	chooseRevision,
	counts,
	eventually,
	NEWEST,
	reads,
	RELEASES,
	settled,
	site,
	skip,
} from "./harness.mjs";
import { BACKEND, importBackend } from "./otherProjects.mjs";

const HISTORY = "/p/pytorch/operators/_cdist_backward/history";
const GAPS = `/p/pytorch/r/${NEWEST}/backends/MPS/gaps`;
const SUPPORT = "/p/pytorch/support?operators=add.Tensor,cholesky,bmm&keys=CPU,XPU,XLA";
const UPGRADE = "/p/pytorch/upgrade?base=2.13.0&head=2.15.0";

describe("history", { skip, concurrency: false }, () => {
	const web = site({ prepare: importBackend });
	const asked = async (path) => (await fetch(`${web.base}/v1/projects/pytorch/${path}`)).json();
	/** Waits until these are the texts of what is there. */
	const texts = (locator, wanted) =>
		eventually(async () => assert.deepEqual(await locator.allInnerTexts(), wanted));
	const region = (page, name) => page.getByRole("region", { name, exact: true });

	describe("of an operator", () => {
		it("tells what happened where, as the API does, with level and rule", async (t) => {
			const page = await web.open(t, HISTORY);
			await settled(page);
			const { events } = await asked("operators/_cdist_backward/history");
			const steps = region(page, "What happened").locator("ol > li");
			const labels = [...new Set(events.map(({ label }) => label))];
			await texts(steps.getByRole("heading"), labels);
			const renamed = steps.last().getByRole("listitem").filter({ hasText: "argument-renamed" });
			await reads(renamed, /Schema\s*✕\s*breaking/);
			await counts(renamed.locator("del, ins"), 2);
			await renamed.getByRole("link", { name: "argument-renamed" }).click();
			await page.waitForURL("**/rules/argument-renamed");
		});

		it("is reached from the operator, and keeps its filters in the address", async (t) => {
			const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators/add.Tensor`);
			await settled(page);
			await page.getByRole("link", { name: "History", exact: true }).click();
			await page.waitForURL("**/p/pytorch/operators/add.Tensor/history");
			// The operator stays, and has a key too, until the history is there.
			await page.getByLabel("Kind of event").waitFor();
			await page.getByLabel("Key", { exact: true }).selectOption("XPU");
			await page.waitForURL("**/history?key=XPU");
			const served = region(page, "Kernels").getByRole("row");
			const { ranges } = await asked("operators/add.Tensor/history?key=XPU");
			await counts(served, 1 + ranges.filter(({ key }) => key !== null).length);
			await page.getByLabel("Kind of event").selectOption("schema");
			await page.waitForURL("**/history?key=XPU&kind=schema");
			await page.getByText("No events of this kind").waitFor();
			await page.goBack();
			await page.waitForURL("**/history?key=XPU");
			await region(page, "What happened").getByText("XPU").first().waitFor();
		});

		it("tells that one is gone, and leads to where it was", async (t) => {
			const page = await web.open(t, "/p/pytorch/operators/cholesky/history");
			await settled(page);
			await region(page, "What happened").getByText("Removed", { exact: true }).waitFor();
			await page.getByRole("link", { name: "Open the operator in 2.13.0" }).click();
			await page.waitForURL("**/p/pytorch/r/2.13.0/operators/cholesky");
		});

		it("says that there is no such operator, and which are near", async (t) => {
			const page = await web.open(t, "/p/pytorch/operators/norm/history", { fine: [/404/] });
			const alert = page.getByRole("alert");
			await alert.getByRole("heading", { name: "No such operator" }).waitFor();
			await alert.getByRole("link", { name: "norm.Scalar", exact: true }).click();
			await page.waitForURL("**/p/pytorch/operators/norm.Scalar/history");
			await region(page, "What happened").waitFor();
		});
	});

	describe("trends", () => {
		it("draws, and says the same in tables beside", async (t) => {
			const page = await web.open(t, "/p/pytorch/trends");
			await settled(page);
			const charts = page.getByRole("img", { name: new RegExp(`${RELEASES[0]} to ${NEWEST}`) });
			await counts(charts, 4);
			const { points } = await asked("trends");
			const rows = region(page, "Operators, table").getByRole("row");
			await counts(rows, points.length + 1);
			const last = points.at(-1);
			const shown = [NEWEST, last.operators, last.generated].map((n) => n.toLocaleString("en"));
			await reads(rows.last(), new RegExp(`^${shown.join("\t")}$`));
			// Something is drawn, in more than the colour of the grid.
			await eventually(async () => {
				const colours = await page.locator("canvas").first().evaluate((canvas) => {
					const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
					const found = new Set();
					for (let at = 0; at < data.length; at += 4) {
						if (data[at + 3] === 255) found.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
					}
					return found.size;
				});
				assert.ok(colours > 5, `${colours} colours`);
			});
		});

		it("keeps backends, what counts and the stretch in the address", async (t) => {
			const page = await web.open(t, "/p/pytorch/trends");
			await settled(page);
			const table = region(page, "Coverage, table");
			for (const key of ["CPU", "CUDA", "XLA", "Meta"]) await page.getByLabel(key, { exact: true }).uncheck();
			await page.waitForURL("**/trends?keys=MPS,XPU");
			await texts(table.getByRole("columnheader"), ["Revision", "MPS", "XPU"]);
			await page.getByRole("button", { name: "Own kernels" }).click();
			await page.waitForURL("**/trends?keys=MPS,XPU&of=kernels");
			const { points } = await asked("trends");
			const last = points.at(-1);
			const { kernels, applicable } = last.coverage.find(({ key }) => key === "MPS");
			const share = `${(Math.floor((kernels / applicable) * 1000) / 10).toFixed(1)} %`;
			await texts(table.getByRole("row").last().getByRole("cell").first(), [share]);
			await chooseRevision(page, "From", "2.13.0");
			await page.waitForURL("**/trends?from=2.13.0&keys=MPS,XPU&of=kernels");
			await counts(table.getByRole("row"), 3);
			await page.reload();
			await settled(page);
			await counts(table.getByRole("row"), 3);
		});

		it("is loaded with its library only where it is shown", async (t) => {
			const page = await web.open(t, `/p/pytorch/r/${NEWEST}`);
			await settled(page);
			const loaded = () =>
				page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
			const isTrends = (name) => /\/(Trends|ChartTable)-[^/]*\.(js|css)$/.test(name);
			assert.deepEqual((await loaded()).filter(isTrends), []);
			await page.getByRole("link", { name: "Trends", exact: true }).click();
			await page.waitForURL("**/p/pytorch/trends");
			await page.locator("canvas").first().waitFor();
			await eventually(async () => assert.equal((await loaded()).filter(isTrends).length, 3));
		});

		it("says that there is no such revision", async (t) => {
			const page = await web.open(t, "/p/pytorch/trends?from=9.9.9", { fine: [/404/] });
			await page.getByRole("alert").getByText("9.9.9").first().waitFor();
		});
	});

	describe("gaps", () => {
		it("is reached from the backend, and ranks as the API does", async (t) => {
			const page = await web.open(t, `/p/pytorch/r/${NEWEST}/backends/MPS`);
			await settled(page);
			await page.getByRole("link", { name: "Gaps", exact: true }).click();
			await page.waitForURL(`**${GAPS}`);
			const rows = page.getByRole("list", { name: "Gaps" }).getByRole("listitem");
			await rows.first().waitFor();
			const { items, counts: tally } = await asked(`revisions/${NEWEST}/gaps/MPS`);
			const ranked = items.slice(0, 10).map(({ operator }) => operator);
			await eventually(async () => {
				const shown = await rows.getByRole("link").allInnerTexts();
				assert.deepEqual(shown.slice(0, 10), ranked);
			});
			await page.getByText(`${tally.lacking}`, { exact: true }).waitFor();
			await page.getByRole("button", { name: "Fail or work in part", exact: true }).click();
			await page.getByLabel("Tag").selectOption("core");
			await page.waitForURL(`**${GAPS}?only=lacking&tag=core`);
			const left = items.filter(({ lacking, core }) => lacking && core).length;
			await page.getByText(`${left} of ${items.length.toLocaleString("en")} operators`).waitFor();
			await chooseRevision(page, "New kernels since", "2.13.0");
			await page.waitForURL(`**${GAPS}?only=lacking&since=2.13.0&tag=core`);
			const { since } = await asked(`revisions/${NEWEST}/gaps/MPS?since=2.13.0`);
			const gained = region(page, "Gained, operators").getByRole("listitem");
			await counts(gained, since.gained.length);
		});

		it("ranks by a usage file, tells what it does not know, and gives the same as CSV", async (t) => {
			const page = await web.open(t, GAPS);
			await settled(page);
			const usage = "operator,count\naten::_pdist_forward,7\ncholesky_solve,9\nno_such,3\n";
			await page
				.getByLabel(/Rank by a usage file/)
				.setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(usage) });
			await page.getByText("used 7 times").waitFor();
			await page.getByText("Unknown operators in the usage file").getByText("no_such").waitFor();
			const rows = page.getByRole("list", { name: "Gaps" }).getByRole("listitem");
			const names = (await rows.getByRole("link").allInnerTexts()).slice(0, 3);
			const [saved] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name: "Download CSV" }).click(),
			]);
			assert.equal(saved.suggestedFilename(), `pytorch-${NEWEST}-MPS-gaps.csv`);
			const lines = readFileSync(await saved.path(), "utf8").split("\n");
			assert.deepEqual(lines.slice(1, 4).map((line) => line.split(",")[0]), names);
			await page.getByRole("button", { name: "Remove ranking" }).click();
			await page.getByText("used 7 times").waitFor({ state: "detached" });
		});

		it("says what is wrong with a usage file, and with a key", async (t) => {
			const page = await web.open(t, GAPS, { fine: [/400|404|422/] });
			await settled(page);
			const buffer = Buffer.from("add.Tensor,many\nbmm,several\n");
			await page
				.getByLabel(/Rank by a usage file/)
				.setInputFiles({ name: "bad.csv", mimeType: "text/csv", buffer });
			await page.getByRole("alert").getByText(/line \d of the usage file/).waitFor();
			await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/backends/MPZ/gaps`);
			const main = page.getByRole("main");
			await main.getByText("Release 2.15 has no key MPZ").waitFor();
			await main.getByRole("link", { name: "MPS", exact: true }).waitFor();
		});
	});

	describe("support", () => {
		it("tells since when and why, in the order asked for", async (t) => {
			const page = await web.open(t, SUPPORT);
			await settled(page);
			const table = region(page, "Support, table");
			await texts(table.getByRole("columnheader"), ["Operator", "CPU", "XPU", "XLA"]);
			const row = (name) =>
				table.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
			const gone = row("cholesky").getByRole("cell").first();
			await reads(gone, /2\.12\.1 to 2\.13\.0/);
			const outOfTree = row("bmm").getByRole("cell").last();
			await reads(outOfTree, /unknown/);
			const xpu = row("add.Tensor").getByRole("cell").nth(1);
			await reads(xpu, /since 2\.15\.0/);
			await xpu.locator("summary").focus();
			await page.keyboard.press("Enter");
			await reads(xpu, /2\.12\.1 to 2\.13\.0[\s\S]*since 2\.15\.0[\s\S]*Own kernel/);
		});

		it("is asked for in a form that ends in the address, and comes as Markdown", async (t) => {
			const page = await web.open(t, "/p/pytorch/support");
			await page.getByLabel("Operators, separated by commas").fill("bmm, abs");
			await page.getByLabel("Keys, separated by commas").fill("MPS");
			await page.keyboard.press("Enter");
			await page.waitForURL("**/support?keys=MPS&operators=bmm,abs");
			await region(page, "Support, table").waitFor();
			const [saved] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name: "Download Markdown" }).click(),
			]);
			assert.match(readFileSync(await saved.path(), "utf8"), /\|[^\n]*MPS/);
		});

		it("says that there is no such key", async (t) => {
			const page = await web.open(t, "/p/pytorch/support?operators=bmm&keys=MPZ", {
				fine: [/404|422/],
			});
			await page.getByRole("alert").getByText("MPZ").first().waitFor();
		});
	});

	describe("upgrade", () => {
		it("tells what a stored backend has to do", async (t) => {
			const page = await web.open(t, UPGRADE);
			await settled(page);
			await page.getByLabel("Backend", { exact: true }).selectOption("acme-npu");
			await page.waitForURL(`**${UPGRADE.replace("?", "?backend=acme-npu&")}`);
			const verdict = region(page, "Verdict");
			const report = await asked("compare/2.13.0...2.15.0/backends/acme-npu");
			await verdict.getByText(`lists ${report.listed} operators`).waitFor();
			assert.equal(report.breaks, true);
			await region(page, "Operators that are gone").getByRole("link", { name: "cholesky" }).waitFor();
			await counts(
				region(page, "New operators that fail").getByRole("listitem"),
				report.lacking.length,
			);
			await verdict.getByRole("link", { name: /All changes from/ }).click();
			await page.waitForURL("**/compare/2.13.0...2.15.0");
		});

		it("keeps a given file in the window, and a link for others holds it", async (t) => {
			const page = await web.open(t, UPGRADE);
			await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
			await settled(page);
			const text = page.getByLabel("Content of the backend file");
			await text.fill(BACKEND);
			await page.getByRole("button", { name: "Compare the file" }).click();
			const verdict = region(page, "Verdict");
			await verdict.getByText("The file lists 3 operators").waitFor();
			assert.equal(page.url(), web.base + UPGRADE);
			await page.reload();
			await verdict.getByText("The file lists 3 operators").waitFor();
			await eventually(async () => assert.equal(await text.inputValue(), BACKEND));
			await chooseRevision(page, "Base (old)", "2.12.1");
			await page.waitForURL((url) => url.searchParams.get("base") === "2.12.1" && url.hash === "");
			await verdict.getByRole("link", { name: /All changes from .*2\.12\.1/ }).waitFor();
			await page.getByRole("button", { name: "Copy link with the file" }).click();
			await page.getByRole("button", { name: "Copied" }).waitFor();
			const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
			assert.match(link.hash, /^#file=[\w-]+$/);
			const shared = await web.open(t, link.pathname + link.search + link.hash);
			await region(shared, "Operators that are gone").getByRole("link", { name: "cholesky" }).waitFor();
			await shared.waitForURL((url) => url.hash === "");
			await shared.goto(`${web.base}${UPGRADE}#file=AAAA`);
			await shared.getByText("does not contain a readable file").waitFor();
		});

		it("names a file only where somebody gave it a name", async (t) => {
			const page = await web.open(t, UPGRADE);
			await settled(page);
			const buffer = Buffer.from(BACKEND);
			await page
				.getByLabel("Choose a file …")
				.setInputFiles({ name: "mine.yaml", mimeType: "application/yaml", buffer });
			const verdict = region(page, "Verdict");
			await verdict.getByText("mine.yaml lists 3 operators").waitFor();
			assert.equal(page.url(), web.base + UPGRADE);
			await page.getByLabel("Content of the backend file").fill(`${BACKEND}- bmm\n`);
			await page.getByRole("button", { name: "Compare the file" }).click();
			await verdict.getByText("The file lists 4 operators").waitFor();
		});

		it("exports a checklist and a table", async (t) => {
			const page = await web.open(t, `${UPGRADE}&backend=acme-npu`);
			const verdict = region(page, "Verdict");
			for (const [button, type, name] of [
				["Checklist (Markdown)", "text/markdown", /\.md$/],
				["CSV", "text/csv", /\.csv$/],
			]) {
				const coming = page.waitForEvent("download");
				await verdict.getByRole("button", { name: button }).click();
				const file = await coming;
				assert.match(file.suggestedFilename(), name);
				const path = "/v1/projects/pytorch/compare/2.13.0...2.15.0/backends/acme-npu";
				const same = await fetch(web.base + path, { headers: { accept: type } });
				assert.equal(readFileSync(await file.path(), "utf8"), await same.text());
			}
		});

		it("shows kernels that must change, old and new, and leads to what to write", async (t) => {
			const page = await web.open(t, `${UPGRADE}&backend=acme-npu`);
			const report = await asked("compare/2.13.0...2.15.0/backends/acme-npu");
			await region(page, "Verdict").waitFor();
			const must = report.kernels.filter(({ fits }) => fits === "no");
			const kernels = region(page, "Kernels that must change");
			await counts(kernels.getByRole("link", { name: /^Implement it: / }), must.length);
			const lacking = region(page, "New operators that fail");
			const first = report.lacking[0].operator;
			await lacking
				.getByRole("link", { name: `Implement it: ${first} for PrivateUse1`, exact: true })
				.click();
			await page.waitForURL(/implement=PrivateUse1#implement$/);
			await region(page, "Implement it").waitFor();
		});

		it("takes a file, and says what is wrong with it", async (t) => {
			const page = await web.open(t, UPGRADE, { fine: [/400|422/] });
			await settled(page);
			const text = page.getByLabel("Content of the backend file");
			await text.fill(`${BACKEND}- no_such_thing\n- add.Tensro\n`);
			await page.getByRole("button", { name: "Compare the file" }).click();
			const unknown = region(page, "Names in neither revision").getByRole("listitem");
			await unknown.filter({ hasText: "add.Tensro" }).getByRole("link", { name: "add.Tensor" }).waitFor();
			await counts(unknown, 2);
			await reads(unknown.filter({ hasText: "no_such_thing" }), /in neither revision/);
			const gone = region(page, "Operators that are gone").getByRole("listitem");
			await counts(gone, 1);
			await reads(gone, /cholesky\s*gone/);
			await text.fill("backend: Nowhere\ncpp_namespace: acme\nsupported:\n- abs\n");
			await page.getByRole("button", { name: "Compare the file" }).click();
			await page.getByRole("alert").waitFor();
			await region(page, "Verdict").waitFor({ state: "detached" });
		});
	});

	describe("search over all revisions", () => {
		it("finds what is gone, from the palette too", async (t) => {
			const page = await web.open(t, `/p/pytorch/r/${NEWEST}/operators`);
			await settled(page);
			await page.keyboard.press("/");
			await page.getByRole("combobox", { name: "Search" }).fill("align_tensors");
			await page.getByRole("option", { name: /all revisions/ }).click();
			await page.waitForURL("**/p/pytorch/search?q=align_tensors");
			const found = region(page, "Operators").getByRole("listitem");
			await reads(found.first(), /only in older revisions\s*2\.12\.1; changed in 2\.13\.0/);
			await found.first().getByRole("link", { name: "history of align_tensors" }).click();
			await page.waitForURL("**/p/pytorch/operators/align_tensors/history");
		});

		it("says that nothing was found", async (t) => {
			const page = await web.open(t, "/p/pytorch/search?q=qqqqqq");
			await page.getByText("No results").waitFor();
		});
	});
});
