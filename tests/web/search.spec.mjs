// The search: what people write when they look for something, and the pages that it leads to when
// the answer is several operators, or one that is no longer there.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, everyLook, NEWEST, reads, settled, site, skip } from "./harness.mjs";

const AT = `/p/pytorch/r/${NEWEST}`;

describe("search", { skip, concurrency: false }, () => {
	const web = site();
	const first = (page) => page.locator('#palette-hits [aria-selected="true"]');
	const seek = async (page, text) => {
		await page.keyboard.press("Control+k");
		await page.getByRole("combobox", { name: "Search" }).fill(text);
	};

	it("understands names as declarations, C++ and Python write them", async (t) => {
		const page = await web.open(t, `${AT}/operators`);
		await settled(page);
		await seek(page, "");
		for (const [text, hit] of [
			["aten::add.Tensor", /^operator\s*add\.Tensor\s/],
			["torch.ops.aten.add.Tensor", /^operator\s*add\.Tensor\s/],
			["torch.add", /^overloads\s*add\s/],
			["F.relu", /^operator\s*relu\s/],
			["nn.functional.softmax", /^overloads\s*softmax\s/],
			["layernorm", /^operator\s*layer_norm\s/],
			["torch.linalg.norm", /^operator\s*linalg_norm\s/],
			["sofmtax", /^overloads\s*softmax\s/],
			["at::_ops::add_Tensor::call", /^operator\s*add\.Tensor\s/],
			["CompositeImplicitAutograd", /^topic\s*CompositeImplicitAutograd/],
			["mps", /^key\s*MPS/],
			["coverage", /^page\s*Coverage/],
			["2.13.0", /^revision\s*2\.13\.0/],
			["operator-removed", /^rule\s*operator-removed/],
		]) {
			await page.getByRole("combobox", { name: "Search" }).fill(text);
			await reads(first(page), hit);
		}
	});

	it("the list of operators and the search over all revisions understand the same", async (t) => {
		const page = await web.open(t, `${AT}/operators?q=torch.ops.aten.add.Tensor`);
		const rows = page.getByRole("list", { name: "Operators" }).getByRole("listitem");
		await reads(rows.first(), /^add\.Tensor/);
		await page.goto(`${web.base}/p/pytorch/search?q=torch.Tensor.align_to`);
		const found = page.getByRole("region", { name: "Operators" }).getByRole("listitem");
		await reads(found.first(), /align_to\s*only in older revisions\s*2\.12\.1/);
	});

	it("leads to a removed operator, whose page says when and how it went", async (t) => {
		const page = await web.open(t, `${AT}/operators`, { fine: [/404/] });
		await settled(page);
		await seek(page, "torch.Tensor.rename_");
		await reads(first(page), /^removed\s*rename_\s*pytorch\s*last in 2\.12\.1/);
		await page.keyboard.press("Enter");
		await page.waitForURL(`**${AT}/operators/rename_`);
		const how = page.getByRole("region", { name: "How it was removed" });
		await reads(how, /in 2\.13\.0[\s\S]*operator-removed/);
		await page.getByRole("link", { name: "rename_ in 2.12.1" }).waitFor();
		await everyLook(page, "a removed operator");
		await how.getByRole("link", { name: "Compare 2.12.1 with 2.13.0" }).click();
		await page.getByRole("region", { name: "Verdict" }).waitFor();
		// What no revision has stays an error with a way on.
		await page.goto(`${web.base}${AT}/operators/rename_it`);
		await reads(page.getByRole("alert"), /No such operator/);
	});

	it("an operator that came later is not called removed", async (t) => {
		const older = await names(web.base, "2.12.1");
		const newer = await names(web.base, NEWEST);
		const added = [...newer].find((name) => !older.has(name) && /^[a-z]\w+$/.test(name));
		assert.ok(added);
		const page = await web.open(t, `/p/pytorch/r/2.12.1/operators/${added}`, { fine: [/404/] });
		await reads(page.locator("main header"), /not in this revision/);
		await page.getByRole("link", { name: `${added} in ${NEWEST}` }).waitFor();
	});

	it("understands a backend beside an operator, in either order, and says the verdict", async (t) => {
		const page = await web.open(t, "/rules");
		await settled(page);
		await seek(page, "");
		const field = page.getByRole("combobox", { name: "Search" });
		for (const text of [
			"MPS grid_sampler_2d",
			"grid_sampler_2d on mps",
			"Does grid_sampler_2d run on MPS, and since when?",
		]) {
			await field.fill(text);
			await reads(first(page), /^operator\s*grid_sampler_2d\s*pytorch 2\.15\.0\s*MPS: Runs$/);
		}
		await field.fill("softmax cuda");
		await reads(first(page), /^overloads\s*softmax\s*pytorch 2\.15\.0\s*CUDA: \w+ \(softmax\.int\)$/);
		await page.keyboard.press("Enter");
		await page.waitForURL(`**${AT}/names/softmax?key=CUDA`);
		await page.getByRole("complementary", { name: "Why CUDA" }).waitFor();
		await page.keyboard.press("Control+k");
		await field.fill("MPS grid_sampler");
		await page.keyboard.press("Enter");
		await page.waitForURL(`**${AT}/operators/grid_sampler?key=MPS`);
		await page.getByRole("complementary", { name: "Why MPS" }).waitFor();
	});

	it("keeps what is typed before the program is there, and while the hits are on their way", async (t) => {
		let begin;
		const held = new Promise((done) => {
			begin = done;
		});
		let find;
		const found = new Promise((done) => {
			find = done;
		});
		const page = await web.open(t, "/nowhere");
		await page.route("**/assets/index-*.js", (route) => held.then(() => route.continue()));
		await page.route("**/assets/Palette-*.js", (route) => found.then(() => route.continue()));
		await page.goto(`${web.base}${AT}`, { waitUntil: "commit" });
		await page.waitForFunction(() => "opatlasKeys" in window);
		await page.keyboard.type("/grid");
		begin();
		const field = page.getByRole("combobox", { name: "Search" });
		await field.waitFor();
		await page.keyboard.type("_sampler_2d");
		await page.keyboard.press("Enter");
		assert.equal(await field.inputValue(), "grid_sampler_2d");
		find();
		await page.waitForURL(`**${AT}/operators/grid_sampler_2d`);
	});

	it("a base name has a page: its operators, support, calls and history", async (t) => {
		const page = await web.open(t, `${AT}/operators/add.Tensor`);
		// Until the operator has come the header is lower, and the link may move under the pointer.
		await settled(page);
		await page.getByRole("link", { name: "All overloads" }).click();
		await page.waitForURL(`**${AT}/names/add`);
		const of = (name) => page.getByRole("region", { name, exact: true });
		await counts(of("Overloads").locator("ul > li"), 6);
		await reads(page.locator("main header"), /6 operators of this name: 2 functional/);
		await reads(page.getByRole("list", { name: "Support on CPU" }), /Runs/);
		await reads(of("Call it"), /def add_\([\s\S]*at::Tensor add\(/);
		await reads(of("History"), /2\.15\.0[\s\S]*add\.Tensor/);
		await everyLook(page, "a base name");
		await of("Where it runs").getByLabel("Operator").selectOption("add_.Scalar");
		await page.waitForURL("**/names/add?form=add_.Scalar");
		await page.getByRole("list", { name: "Support on CPU" }).waitFor();
		await of("Overloads").getByRole("link", { name: "line 541 declares add.Tensor" }).click();
		await page.waitForURL("**/files/native_functions.yaml#L541");
	});
});

/** The names of all operators of a release. */
async function names(base, release) {
	const path = `${base}/v1/projects/pytorch/revisions/${release}/matrix`;
	const { operators } = await (await fetch(path)).json();
	return new Set(operators.map(({ name }) => name));
}
