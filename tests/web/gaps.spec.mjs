// The gap list by what operators are, and the badge of a backend.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseRevision, counts, eventually, NEWEST, reads, site, skip } from "./harness.mjs";

const KEY = `/p/pytorch/r/${NEWEST}/backends/MPS`;
const GAPS = `${KEY}/gaps`;
const BADGE = `${KEY}/badge`;

describe("gaps", { skip, concurrency: false }, () => {
	const web = site();
	const asked = async (path) => (await fetch(`${web.base}/v1/projects/pytorch/${path}`)).json();

	it("offers every tag of the revision, and filters by what operators are", async (t) => {
		const { operators } = await asked(`revisions/${NEWEST}/matrix`);
		const { items } = await asked(`revisions/${NEWEST}/gaps/MPS`);
		const tags = new Set(operators.flatMap(({ tags }) => tags));
		assert.ok(tags.size > 5, `${tags.size} tags`);
		const of = new Map(operators.map((operator) => [operator.name, operator]));
		// Operators that may work are listed only if asked for.
		const gaps = items.filter(({ works }) => works !== "unknown");
		const left = (passes) => gaps.filter(({ operator }) => passes(of.get(operator))).length;
		const page = await web.open(t, GAPS);
		const shown = (n) =>
			page.getByText(`${n.toLocaleString("en")} of ${items.length.toLocaleString("en")} operators`);
		const tag = page.getByLabel("Tag");
		// And the choice of none.
		await counts(tag.locator("option"), tags.size + 1);
		await tag.selectOption("pointwise");
		await page.waitForURL(`**${GAPS}?tag=pointwise`);
		await shown(left(({ tags }) => tags.includes("pointwise"))).waitFor();
		await page.getByLabel("Kind", { exact: true }).selectOption("out");
		await page.waitForURL(`**${GAPS}?kind=out&tag=pointwise`);
		const both = left(({ tags, kind }) => tags.includes("pointwise") && kind === "out");
		await shown(both).waitFor();
		await page.reload();
		await shown(both).waitFor();
		await page.getByRole("button", { name: "Clear filters" }).click();
		await page.waitForURL(`**${GAPS}`);
		const { python_module } = operators.find(({ python_module }) => python_module !== null);
		await page.getByLabel("Python module").selectOption(python_module);
		await page.waitForURL(`**${GAPS}?python_module=${python_module}`);
		await shown(left((operator) => operator.python_module === python_module)).waitFor();
		await page.goBack();
		await chooseRevision(page, "New kernels since", "2.12.1");
		await page.waitForURL(`**${GAPS}?since=2.12.1`);
		const since = await asked(`revisions/${NEWEST}/gaps/MPS?since=2.12.1`);
		await page.getByLabel("Operators", { exact: true }).selectOption("new");
		await page.waitForURL(`**${GAPS}?added=new&since=2.12.1`);
		await shown(since.items.filter((gap) => gap.new && gap.works !== "unknown").length).waitFor();
	});

	it("shows the badge of the key and revision, with what to paste elsewhere", async (t) => {
		const page = await web.open(t, BADGE);
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		const section = page.getByRole("region", { name: "Badge", exact: true });
		const badge = async (query) => {
			const { label, message } = await asked(`badges/MPS.json${query}`);
			const image = section.getByRole("img", { name: `${label}: ${message}`, exact: true });
			await image.waitFor();
			await eventually(async () =>
				assert.ok((await image.evaluate((node) => node.complete && node.naturalWidth)) > 50),
			);
			return { alt: `${label}: ${message}`, src: await image.getAttribute("src") };
		};
		const usual = await badge(`?revision=${NEWEST}`);
		assert.equal(usual.src, `/v1/projects/pytorch/badges/MPS.svg?revision=${NEWEST}`);
		await section.getByRole("button", { name: "Own kernels" }).click();
		await page.waitForURL(`**${BADGE}?badge=kernel`);
		await section.getByRole("button", { name: "Latest revision" }).click();
		await page.waitForURL(`**${BADGE}?badge=kernel&badge_at=latest`);
		const { alt, src } = await badge("?of=kernel");
		assert.equal(src, "/v1/projects/pytorch/badges/MPS.svg?of=kernel");
		const copied = async (name, text) => {
			await section.getByRole("button", { name: `Copy ${name}`, exact: true }).click();
			await eventually(async () =>
				assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text),
			);
		};
		const link = `${web.base}/p/pytorch/r/latest/backends/MPS`;
		await copied("Markdown", `[![${alt}](${web.base}${src})](${link})`);
		await copied("HTML", `<a href="${link}"><img src="${web.base}${src}" alt="${alt}"></a>`);
		const endpoint = `${web.base}/v1/projects/pytorch/badges/MPS.json?of=kernel`;
		await copied("Endpoint for badge services", endpoint);
		const { schemaVersion } = await (await fetch(endpoint)).json();
		assert.equal(schemaVersion, 1);
	});

	it("says what the badge reads where its image cannot be had", async (t) => {
		const page = await web.open(t, "/rules", { fine: [/ERR_FAILED/] });
		await page.route("**/badges/*.svg*", (route) => route.abort());
		await page.goto(web.base + BADGE);
		const section = page.getByRole("region", { name: "Badge", exact: true });
		await reads(section, /coverage of MPS[^:]*: \d+ %(, [\d,]+ unknown)?\. The image cannot be shown here/);
	});
});
