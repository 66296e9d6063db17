// The ways to run an operator: the strip on its page, its dtypes, and the columns of the matrix.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everyLook, eventually, NEWEST, reads, settled, site, skip } from "./harness.mjs";

const OPERATORS = `/p/pytorch/r/${NEWEST}/operators`;
const MATRIX = `/p/pytorch/r/${NEWEST}/backends`;

/** The symbol that each answer is shown with; another where the fate is one of doing without. */
const GLYPHS = { yes: "●", partly: "◔", no: "✕", unknown: "?", null: "–" };
const glyphOf = ({ works, missing }) => (works === "yes" && missing ? "○" : GLYPHS[works]);

describe("ways", { skip, concurrency: false }, () => {
	const web = site();
	const asked = async (path) =>
		(await fetch(`${web.base}/v1/projects/pytorch/revisions/${NEWEST}/${path}`)).json();

	for (const operator of ["nonzero", "grid_sampler_2d", "sym_size.int", "add_.Tensor"]) {
		it(`shows each way of ${operator} with its fate, its reason, and since when`, async (t) => {
			const { items } = await asked(`operators/${operator}/ways`);
			const page = await web.open(t, `${OPERATORS}/${operator}`);
			await settled(page);
			const cards = page.getByRole("list", { name: "Ways" }).getByRole("listitem");
			const shown = await cards.evaluateAll((cards) =>
				cards.map((card) =>
					[...card.querySelectorAll("summary > span, p")].map((line) => line.textContent.trim()),
				),
			);
			const told = items.map((item) => [
				item.title,
				`${glyphOf(item)} ${item.fate}`,
				item.because.replaceAll("`", ""),
				item.since
					? `since ${item.since}`
					: item.known_from === "entry"
						? "by the entry"
						: item.release
							? `in ${item.release}`
							: "",
			]);
			assert.deepEqual(shown, told);
		});
	}

	for (const width of [1600, 390]) {
		it(`keeps room for the ways while they load, ${width} wide`, async (t) => {
			let answer;
			const held = new Promise((resolve) => {
				answer = resolve;
			});
			const routes = {
				"**/operators/nonzero/ways*": async (route) => {
					await held;
					await route.continue();
				},
			};
			const page = await web.open(t, `${OPERATORS}/nonzero`, { width, routes });
			const below = page.getByRole("heading", { name: "Schema" });
			await below.waitFor();
			const top = async () => (await below.boundingBox()).y;
			const before = await top();
			const ways = page.getByRole("list", { name: "Ways" });
			assert.equal(await ways.count(), 0);
			await page.getByRole("heading", { name: "Dispatch table" }).waitFor();
			answer();
			await ways.waitFor();
			const shift = Math.abs((await top()) - before);
			assert.ok(shift < 8, `what is below moved by ${shift} pixels`);
		});
	}

	it("says when the ways cannot be had, and keeps the rest of the page", async (t) => {
		const routes = { "**/operators/nonzero/ways*": (route) => route.fulfill({ status: 500, body: "" }) };
		const page = await web.open(t, `${OPERATORS}/nonzero`, { routes, fine: [/500/] });
		const ways = page.getByRole("region", { name: "Ways" });
		await ways.getByRole("alert").waitFor();
		await page.getByRole("heading", { name: "Dispatch table" }).waitFor();
	});

	it("shows dtypes by function and device, forward and backward", async (t) => {
		const { dtypes } = await asked("operators/max.dim/ways");
		const page = await web.open(t, `${OPERATORS}/max.dim`);
		await settled(page);
		const shown = await dtypesOf(page, "Claimed");
		const told = dtypes
			.filter(({ known_from }) => known_from === "claimed")
			.map(({ device, forward, backward, function: name }) => [
				`${name} ${device}`,
				[...forward].sort(),
				[...backward].sort(),
			]);
		assert.deepEqual(shown, new Map(told.map(([name, ...taken]) => [name, taken])));
	});

	it("keeps measured dtypes apart from claimed ones, on the page of a name too", async (t) => {
		const item = (known_from, forward, backward) => ({
			function: "abs",
			device: "cpu",
			forward,
			backward,
			known_from,
		});
		const routes = {
			"**/operators/abs/ways*": async (route) => {
				const answer = await (await route.fetch()).json();
				const dtypes = [item("claimed", ["f32", "f16"], ["f32"]), item("measured", ["f32"], ["f32"])];
				await route.fulfill({ json: { ...answer, dtypes } });
			},
		};
		for (const path of [`${OPERATORS}/abs`, `/p/pytorch/r/${NEWEST}/names/abs`]) {
			const page = await web.open(t, path, { routes });
			await settled(page);
			const both = new Map([["abs cpu", [["f32"], ["f32"]]]]);
			assert.deepEqual(await dtypesOf(page, "Measured"), both);
			const claimed = new Map([["abs cpu", [["f16", "f32"], ["f32"]]]]);
			assert.deepEqual(await dtypesOf(page, "Claimed"), claimed);
			await everyLook(page, path);
		}
	});

	it("switches the columns of the matrix, in the address", async (t) => {
		const page = await web.open(t, `${MATRIX}?columns=all&q=nonzero&tag=core`);
		await settled(page);
		const columns = page.getByRole("group", { name: "Columns are" });
		await columns.getByRole("button", { name: "Ways" }).click();
		await page.waitForURL(`**${MATRIX}?q=nonzero&show=ways&tag=core`);
		const { items } = await asked("operators/nonzero/ways");
		const grid = page.getByRole("grid", { name: "Operators by ways" });
		await eventually(async () => assert.equal(await grid.getAttribute("aria-colcount"), "15"));
		const row = grid
			.getByRole("row")
			.filter({ has: page.getByRole("link", { name: "nonzero", exact: true }) });
		for (const item of items) {
			const cell = row.getByRole("gridcell", { name: `${item.title}: ${item.fate}`, exact: true });
			assert.equal(await cell.innerText(), glyphOf(item), item.way);
		}
		await row.getByRole("gridcell", { name: /^vmap/ }).click();
		await page.waitForURL("**cell=nonzero,vmap**");
		const { because } = items.find(({ way }) => way === "vmap");
		await page.getByRole("complementary", { name: "Why vmap" }).getByText(because).waitFor();
		await columns.getByRole("button", { name: "Backends" }).click();
		await page.waitForURL(`**${MATRIX}?q=nonzero&tag=core`);
		await page.getByRole("grid", { name: "Operators by keys" }).waitFor();
		await page.goBack();
		await grid.waitFor();
	});

	it("filters the matrix by what a way lacks, and by a fate", async (t) => {
		const page = await web.open(t, `${MATRIX}?show=ways&tag=core`);
		await settled(page);
		const { operators } = await asked("matrix");
		const core = new Set(operators.filter(({ tags }) => tags.includes("core")).map(({ name }) => name));
		const { items } = await asked("ways/vmap?limit=1000&fate=raises");
		const grid = page.getByRole("grid");
		const shown = (n) =>
			eventually(async () => assert.equal(await grid.getAttribute("aria-rowcount"), `${n + 1}`));
		await page.getByRole("columnheader", { name: /^vmap/ }).getByRole("link").click();
		await page.waitForURL(`**${MATRIX}?show=ways&way=vmap`);
		await page.getByLabel("Tag").selectOption("core");
		await page.getByLabel("Fate on vmap").selectOption("raises");
		await page.waitForURL(`**${MATRIX}?fate=raises&show=ways&tag=core&way=vmap`);
		await shown(items.filter(({ operator }) => core.has(operator)).length);
		await page.getByLabel("Fate on vmap").selectOption("");
		const missing = await asked("ways/vmap?limit=1000&fate=falls+back");
		const lacking = [...items, ...missing.items].filter(({ operator }) => core.has(operator));
		await shown(lacking.length);
	});

	it("moves by keys among ways", async (t) => {
		const page = await web.open(t, `${MATRIX}?show=ways&q=nonzero`);
		await settled(page);
		await page.locator('[role="gridcell"][tabindex="0"]').focus();
		await page.keyboard.press("End");
		await page.keyboard.press("Enter");
		await page.getByRole("complementary", { name: "Why autocast-xpu" }).waitFor();
	});

	it("lists changes of fate in the history of an operator", async (t) => {
		const path = "/p/pytorch/operators/argmax.out/history";
		const { ways } = await (await fetch(`${web.base}/v1${path.replace("/p/", "/projects/")}`)).json();
		assert.ok(ways.length > 0);
		const page = await web.open(t, path);
		await settled(page);
		const rows = page.getByRole("region", { name: "Changes of fate" }).locator("tbody tr");
		const shown = await rows.evaluateAll((rows) =>
			rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
		);
		const told = ways.map(({ release, title, after, message, ...of }) => [
			release,
			title,
			`${glyphOf(of)} ${after}`,
			message.replaceAll("`", ""),
		]);
		assert.deepEqual(shown, told);
		await everyLook(page, "changes of fate");
	});

	it("draws operators by fate, for the way in the address", async (t) => {
		const page = await web.open(t, "/p/pytorch/trends");
		const section = page.getByRole("region", { name: "Ways", exact: true });
		await section.getByLabel("Way").selectOption("vmap");
		await page.waitForURL("**/p/pytorch/trends?way=vmap");
		const trends = await fetch(`${web.base}/v1/projects/pytorch/trends?way=vmap`);
		const { points } = await trends.json();
		const { fates } = points.at(-1).way;
		const table = section.getByRole("region", { name: "vmap, table" }).getByRole("table");
		await eventually(async () => {
			const rows = await table.evaluate((table) =>
				[...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
			);
			const [heads, ...lines] = rows;
			const last = Object.fromEntries(heads.slice(1).map((name, at) => [name, lines.at(-1)[at + 1]]));
			const told = Object.entries(fates).map(([name, n]) => [name, n.toLocaleString("en")]);
			assert.deepEqual(last, Object.fromEntries(told));
			assert.equal(lines.length, points.length);
		});
	});

	it("is searched for next to an operator, and for what it lacks", async (t) => {
		const page = await web.open(t, OPERATORS);
		await settled(page);
		const box = page.getByRole("combobox", { name: "Search" });
		const first = page.locator('#palette-hits [aria-selected="true"]');
		await page.keyboard.press("Control+k");
		await box.fill("vmap grid_sampler");
		await reads(first, /^way\s*grid_sampler\s*pytorch 2\.15\.0\s*vmap: /);
		await page.keyboard.press("Enter");
		await page.waitForURL(`**${OPERATORS}/grid_sampler#ways`);
		await page.keyboard.press("Control+k");
		await box.fill("core without lowering");
		await reads(first, /^way\s*Inductor\s*pytorch 2\.15\.0\s*what Inductor lacks, tagged core/);
		await page.keyboard.press("Enter");
		await page.waitForURL(`**${MATRIX}?show=ways&tag=core&way=inductor`);
		const { items } = await asked("gaps?way=inductor&tag=core");
		const grid = page.getByRole("grid", { name: "Operators by ways" });
		for (const { operator } of items) {
			await grid.getByRole("link", { name: operator, exact: true }).waitFor();
		}
		// A word that also means something else leads there first.
		await page.keyboard.press("Control+k");
		await box.fill("meta");
		await reads(first, /^key\s*Meta/);
		await page.keyboard.press("Escape");
		await page.goto(`${web.base}/p/pytorch/search?q=core+without+lowering`);
		await page.getByRole("link", { name: "See what Inductor lacks, tagged core" }).click();
		await page.waitForURL(`**${MATRIX}?show=ways&tag=core&way=inductor`);
		await grid.getByRole("link", { name: items[0].operator, exact: true }).waitFor();
	});

	it("says that nothing is known of dtypes", async (t) => {
		const page = await web.open(t, `${OPERATORS}/sym_size.int`);
		const section = page.getByRole("region", { name: "Dtypes" });
		await section.getByText("No test of PyTorch's operator database is about it").waitFor();
	});
});

/** What a table of dtypes says, by function and device: the forward and the backward ones. */
async function dtypesOf(page, title) {
	const table = page.getByRole("region", { name: title }).getByRole("table");
	const rows = await eventually(() =>
		table.evaluate((table) => {
			const heads = [...table.querySelectorAll("thead th")].slice(2).map((th) => th.textContent);
			return [...table.querySelectorAll("tbody")].flatMap((body) => {
				const name = body.querySelector('[scope="rowgroup"]').textContent;
				return [...body.rows].flatMap((row) => {
					const cells = [...row.querySelectorAll("td")].map(
						(cell) => cell.querySelector(".visually-hidden").textContent,
					);
					const taking = (way) => heads.filter((_, at) => cells[at].includes(way)).sort();
					const devices = row.querySelector('[scope="row"]').textContent.split(", ");
					return devices.map((device) => [
						`${name} ${device}`,
						[taking("forward"), taking("backward")],
					]);
				});
			});
		}),
	);
	return new Map(rows);
}
