// Questions as people have them: a message from the terminal, a call, and a model.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { eventually, everyLook, reads, settled, site, skip } from "./harness.mjs";

const EIGH =
	"NotImplementedError: The operator 'aten::_linalg_eigh.eigenvalues' is not currently implemented for the MPS device.";
const GRAPH = "models/model.json";

describe("questions", { skip, concurrency: false }, () => {
	const web = site();
	const answer = (page) => page.getByRole("region", { name: "Answer" });

	it("a message pasted into the search is explained in two actions from home", async (t) => {
		const page = await web.open(t, "/");
		await settled(page);
		await page.keyboard.press("Control+k");
		await page.getByRole("combobox", { name: "Search" }).fill(EIGH);
		const first = page.locator('#palette-hits [aria-selected="true"]');
		await reads(first, /Explain this message/);
		await page.keyboard.press("Enter");
		await page.waitForURL("**/why#file=*");
		await reads(answer(page), /_linalg_eigh\.eigenvalues/);
		await reads(page.getByRole("region", { name: "What to do" }), /2\.14\.0/);
		const read = page.getByRole("region", { name: "What was read" });
		await reads(read.locator("mark").first(), /./);
		await everyLook(page, "an explained message");
		// The address holds the message.
		await page.reload();
		await reads(answer(page), /_linalg_eigh\.eigenvalues/);
	});

	it("a traceback of many lines keeps its lines", async (t) => {
		const page = await web.open(t, "/");
		await settled(page);
		await page.keyboard.press("Control+k");
		const field = page.getByRole("combobox", { name: "Search" });
		await field.waitFor();
		const text = `Traceback (most recent call last):\n  File "a.py", line 3\n${EIGH}`;
		await field.evaluate((input, text) => {
			const clipboardData = new DataTransfer();
			clipboardData.setData("text", text);
			input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
		}, text);
		await page.waitForURL("**/why#file=*");
		const given = page.getByLabel("What your terminal shows");
		await eventually(async () => assert.equal(await given.inputValue(), text));
		await reads(answer(page), /_linalg_eigh\.eigenvalues/);
	});

	it("what is not recognized is said to be unknown", async (t) => {
		const page = await web.open(t, "/why");
		await page.getByLabel("What your terminal shows").fill("my toast burned");
		await page.getByRole("button", { name: "Explain" }).click();
		await reads(answer(page), /can(no|'|\u2019)?t? ?tell/i);
	});

	it("a list of operators is judged on each backend", async (t) => {
		const page = await web.open(t, "/p/pytorch/preflight");
		await page.getByRole("button", { name: "Check the text" }).click();
		await reads(answer(page), /CPU[\s\S]*CUDA[\s\S]*MPS/);
		await reads(page.getByRole("region", { name: "Operators" }).first(), /grid_sampler_3d/);
		await everyLook(page, "a judged model");
	});

	it("of a large archive only the graph is sent", async (t) => {
		const folder = mkdtempSync(join(tmpdir(), "model-"));
		t.after(() => rmSync(folder, { recursive: true }));
		const path = join(folder, "large.pt2");
		execFileSync("python3", ["-c", ARCHIVE, path]);
		const page = await web.open(t, "/p/pytorch/preflight");
		// What a page sends as a blob is not in the events of the browser.
		await page.addInitScript(() => {
			const send = window.fetch;
			window.fetch = async (request) => {
				if (request.url?.includes("/v1/preflight")) {
					window.sent = (await request.clone().arrayBuffer()).byteLength;
				}
				return send(request);
			};
		});
		await page.reload();
		await page.getByLabel("Choose a file …").setInputFiles(path);
		await reads(page.getByRole("region", { name: "Operators" }).first(), /grid_sampler_3d/);
		const sent = await page.evaluate(() => window.sent);
		assert.ok(sent > 0 && sent < 100_000, `${sent} bytes were sent`);
	});

	it("a file that is no model is refused with what it is", async (t) => {
		const folder = mkdtempSync(join(tmpdir(), "model-"));
		t.after(() => rmSync(folder, { recursive: true }));
		const path = join(folder, "photo.png");
		writeFileSync(path, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
		const page = await web.open(t, "/p/pytorch/preflight", { fine: [/4\d\d/] });
		await page.getByLabel("Choose a file …").setInputFiles(path);
		await page.getByRole("alert").waitFor();
	});
});

/** Writes an exported program with 20 MB of weights that do not compress. */
const ARCHIVE = `
import json, os, sys, zipfile
node = lambda target: {"target": target, "inputs": [], "outputs": [], "metadata": {}}
nodes = [node("torch.ops.aten.conv2d.default"), node("torch.ops.aten.grid_sampler_3d.default")]
program = {"graph_module": {"graph": {"nodes": nodes}}, "schema_version": {"major": 8, "minor": 8}}
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("large/archive_format", "pt2")
    archive.writestr("large/${GRAPH}", json.dumps(program))
    archive.writestr("large/data/weights/weight_0", os.urandom(20 << 20))
`;
