// Topics: found by filters, explained with examples, reached from what they explain; and the guide to
// a dispatch key, whose answers the address keeps.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, NEWEST, site, skip } from "./harness.mjs";

describe("topics", { skip, concurrency: false }, () => {
	const web = site();
	const asked = async (path) => (await fetch(`${web.base}/v1/${path}`)).json();
	const region = (page, name) => page.getByRole("region", { name, exact: true });
	const isFiltered = ({ pathname, searchParams }) =>
		pathname === "/topics" &&
		searchParams.get("q") === "structured out" &&
		searchParams.get("kind") === "field";
	const ADD = `/p/pytorch/r/${NEWEST}/operators/add.out`;

	it("are all listed, and filtered in the address", async (t) => {
		const page = await web.open(t, "/topics");
		const { items } = await asked("topics?limit=1000");
		await page.getByText(`${items.length} topics`).waitFor();
		await page.getByLabel("Kind").selectOption("field");
		await page.waitForURL("**/topics?kind=field");
		const fields = items.filter(({ kind }) => kind === "field");
		await counts(region(page, "Fields of an entry").getByRole("listitem"), fields.length);
		await page.getByLabel("Words").fill("structured out");
		await page.waitForURL(isFiltered);
		await region(page, "Fields of an entry").getByRole("link", { name: "structured_delegate" }).click();
		await page.waitForURL("**/topics/structured_delegate");
		await region(page, "Examples").getByText("Rejected").waitFor();
		await page.goBack();
		await page.waitForURL(isFiltered);
	});

	it("guide to a key by questions, and keep the answers in the address", async (t) => {
		const page = await web.open(t, "/topics/dispatch-keyword");
		await page.getByRole("button", { name: "Yes, it only calls operators" }).click();
		await page.getByRole("group", { name: /differentiable/ }).waitFor();
		await page.getByRole("button", { name: "No", exact: true }).click();
		await page.getByRole("button", { name: "No", exact: true }).click();
		await page.waitForURL("**/topics/dispatch-keyword?answers=0.1.1");
		const result = region(page, "Result");
		await result.getByRole("heading", { name: "CompositeExplicitAutograd" }).waitFor();
		await result.getByText("CompositeExplicitAutograd: lerp3").waitFor();
		const topic = await asked("topics/dispatch-keyword");
		const { table } = topic.guide.outcomes.find(({ id }) => id === "default");
		await counts(result.getByRole("table").getByRole("row"), table.length + 1);
		await page.reload();
		await result.waitFor();
		await page.getByRole("button", { name: /Change the answer to: Are all/ }).click();
		await page.waitForURL("**/topics/dispatch-keyword?answers=0");
		await page.getByRole("button", { name: "Yes", exact: true }).click();
		await page.getByRole("button", { name: "No, differentiate the calls" }).click();
		await result.getByRole("heading", { name: /No dispatch section/ }).waitFor();
	});

	it("explain types, annotations and keys where they are shown", async (t) => {
		const page = await web.open(t, ADD);
		const out = region(page, "Arguments").getByRole("row").filter({ hasText: "out" }).last();
		const annotation = out.getByRole("link", { name: "(a!)" });
		const { summary } = await asked("topics/write-annotation");
		await eventually(async () =>
			assert.equal(await annotation.getAttribute("title"), summary.replaceAll("`", "")),
		);
		await annotation.click();
		await page.waitForURL("**/topics/write-annotation");
		await page.goBack();
		await region(page, "Arguments").getByRole("link", { name: "Scalar", exact: true }).click();
		await page.waitForURL("**/topics/Scalar");
		await page.goto(`${web.base}/p/pytorch/r/${NEWEST}/backends/XPU`);
		await page.getByRole("link", { name: "What it is" }).click();
		await page.waitForURL("**/topics/XPU");
	});

	it("of a backend shows how much works there, and leads to it", async (t) => {
		const page = await web.open(t, "/topics/MPS");
		const group = page.getByRole("group", { name: "Coverage" });
		const { items } = await asked(`projects/pytorch/revisions/${NEWEST}/keys?generated=exclude&limit=1000`);
		const { coverage } = items.find(({ key }) => key === "MPS");
		const figure = (value) => value.toLocaleString("en");
		const words = `works, ${figure(coverage.working)} of ${figure(coverage.applicable)} operators`;
		await group.getByText(words).waitFor();
		await group.getByRole("link", { name: `MPS in pytorch ${NEWEST}` }).click();
		await page.waitForURL(`**/p/pytorch/r/${NEWEST}/backends/MPS`);
	});

	it("and rules complete names as one types", async (t) => {
		for (const [path, typed, name] of [
			["/topics", "mps", "AutogradMPS"],
			["/rules", "renamed", "argument-renamed"],
		]) {
			const page = await web.open(t, path);
			const field = page.getByLabel("Words");
			await field.fill(typed);
			await eventually(async () => {
				const listed = await field.evaluate(({ list }) => [...list.options].map(({ value }) => value));
				assert.ok(listed.includes(name), `${listed}`);
			});
		}
	});

	it("are suggested where there is none of that name", async (t) => {
		const page = await web.open(t, "/topics/CompositeExplicitAutogrd", { fine: [/404/] });
		await page.getByRole("alert").getByRole("link", { name: "CompositeExplicitAutograd" }).click();
		await page.waitForURL("**/topics/CompositeExplicitAutograd");
	});
});
