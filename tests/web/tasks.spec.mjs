// What people come for, each in at most three actions from the home page. An action is a click, a text
// that is typed or pasted, a file that is chosen, or a key that is pressed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NEWEST, reads, settled, site, skip } from "./harness.mjs";

const MOST = 3;
const MESSAGE =
	"NotImplementedError: The operator 'aten::_linalg_eigh.eigenvalues' is not currently implemented for the MPS device.";
const BACKEND = "backend: XLA\ncpp_namespace: torch_xla\nsupported:\n- add.Tensor\n- _linalg_det\n";

async function paste(field, text) {
	await field.focus();
	await field.evaluate((input, text) => {
		const clipboardData = new DataTransfer();
		clipboardData.setData("text", text);
		input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
	}, text);
}

describe("tasks", { skip, concurrency: false }, () => {
	const web = site();

	/** A test of a task; `act` gives what can be done on the home page, and counts it. */
	const task = (name, work) =>
		it(name, async (t) => {
			const page = await web.open(t, "/");
			await settled(page);
			const done = [];
			const act = {
				click: (locator) => (done.push("click"), locator.click()),
				type: (locator, text) => (done.push("type"), locator.pressSequentially(text)),
				paste: (locator, text) => (done.push("paste"), paste(locator, text)),
				press: (key) => (done.push(key), page.keyboard.press(key)),
				choose: (locator, file) => (done.push("choose"), locator.setInputFiles(file)),
			};
			await work(page, act);
			assert.ok(done.length <= MOST, `${name} takes ${done.join(", ")}`);
		});

	const field = (page) => page.getByLabel("Search for an operator, a backend or an error message");
	const firstHit = (page) => page.locator('#palette-hits [aria-selected="true"]');
	const seek = async (page, act, text, hit) => {
		await act.type(field(page), text);
		await reads(firstHit(page), hit);
		await act.press("Enter");
	};

	task("does an operator run on a backend, and since when", async (page, act) => {
		await seek(page, act, "MPS grid_sampler_2d", /grid_sampler_2d/);
		await page.waitForURL("**/operators/grid_sampler_2d?key=MPS");
		const region = page.getByRole("region", { name: "Where it runs" });
		await reads(region.getByRole("button", { name: /^MPS/ }), /Runs[\s\S]*since 2\.0\.0 or earlier/);
	});

	task("explain an error", async (page, act) => {
		await act.paste(field(page), MESSAGE);
		await reads(firstHit(page), /Explain this message/);
		await act.press("Enter");
		await page.waitForURL("**/why#file=*");
		await reads(page.getByRole("region", { name: "Answer" }), /_linalg_eigh\.eigenvalues/);
	});

	task("plan an upgrade", async (page, act) => {
		await act.click(page.getByRole("link", { name: /What breaks for my backend/ }));
		const file = { name: "acme.yaml", mimeType: "text/yaml", buffer: Buffer.from(BACKEND) };
		await act.choose(page.locator('input[type="file"]'), file);
		await reads(page.getByRole("main"), /acme\.yaml lists 2 operators[\s\S]*New operators that fail/);
	});

	task("write an entry", async (page, act) => {
		await act.click(page.getByRole("link", { name: "Is my entry valid?" }));
		const editor = page.locator(".cm-content");
		await editor.waitFor();
		await act.press("Control+End");
		await reads(page.getByRole("main"), /error|warning|finding/i);
	});

	task("review two files", async (page, act) => {
		await act.click(page.getByRole("link", { name: "Compare", exact: true }));
		await act.click(page.getByText("Two files", { exact: true }));
		await act.click(page.getByRole("button", { name: "Compare" }).first());
		await reads(page.getByRole("main"), /of \d+ viewed/);
	});

	task("find an operator by its Python name", async (page, act) => {
		await seek(page, act, "torch.nn.functional.grid_sample", /grid_sampl/);
		await page.waitForURL(/grid_sampl/);
	});

	task("explain a cell", async (page, act) => {
		await act.click(page.getByRole("link", { name: "Backends", exact: true }));
		await act.click(page.locator('[role="gridcell"][aria-label^="MPS: "]').first());
		await reads(page.getByRole("complementary", { name: /^Why/ }), /MPS/);
	});

	task("share a link", async (page, act) => {
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await seek(page, act, "MPS grid_sampler_2d", /grid_sampler_2d/);
		await act.click(page.getByRole("button", { name: "Copy link" }));
		const link = await page.evaluate(() => navigator.clipboard.readText());
		assert.match(link, new RegExp(`/p/pytorch/r/${NEWEST}/operators/grid_sampler_2d`));
		const head = await (await fetch(link, { headers: { accept: "*/*" } })).text();
		assert.match(head, /og:description" content="grid_sampler_2d: Works on CPU/);
	});
});
