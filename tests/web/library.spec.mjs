// A project that is an operator library: a list of schemas instead of native_functions.yaml.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { everyLook, run, settled, site, skip } from "./harness.mjs";

const VERSIONS = {
	"0.1": `mix(Tensor x, int n=1) -> Tensor
scale_(Tensor(a!) x, float by) -> Tensor(a!)
lookup(Tensor table, Dict(str, int) names) -> (Tensor, int)
`,
	"0.2": `mix(Tensor x, int n=1, *, bool fast=False) -> Tensor
lookup(Tensor table, Dict(str, int) names) -> (Tensor, int)
pair(Tensor x) -> Tensor[]
`,
};

/** Imports both versions of the library. */
function prepare(database, dir) {
	for (const [version, schemas] of Object.entries(VERSIONS)) {
		const file = join(dir, `acme-${version}.txt`);
		writeFileSync(file, schemas);
		const library = ["--library", file, "--namespace", "acme"];
		run("import", ...library, "--label", version, "--project", "acme-ops", "--database", database);
	}
}

describe("libraries", { skip, concurrency: false }, () => {
	const web = site({ prepare });

	for (const [name, path] of [
		["project", "/p/acme-ops"],
		["revision", "/p/acme-ops/r/0.2"],
		["operators", "/p/acme-ops/r/0.2/operators"],
		["operator", "/p/acme-ops/r/0.2/operators/acme::mix"],
		["operator of types that torchgen lacks", "/p/acme-ops/r/0.2/operators/acme::lookup"],
		["comparison", "/p/acme-ops/compare/0.1...0.2"],
		["history", "/p/acme-ops/operators/acme::mix/history"],
	]) {
		it(`${name}: accessible and fitting, light and dark, narrow and wide`, async (t) => {
			const page = await web.open(t, path);
			await settled(page);
			await everyLook(page, name);
		});
	}

	it("leads from the project to an operator with its schema", async (t) => {
		const page = await web.open(t, "/p/acme-ops");
		await page.getByRole("link", { name: "0.2" }).first().click();
		await page.getByRole("link", { name: /operators/i }).first().click();
		await page.getByRole("link", { name: "acme::mix" }).click();
		await page.getByRole("heading", { name: "acme::mix" }).first().waitFor();
		await page.getByText("bool fast=False").first().waitFor();
	});

	it("tells what a version breaks", async (t) => {
		const page = await web.open(t, "/p/acme-ops/compare/0.1...0.2");
		await page.getByRole("button", { name: /needs no action/ }).click();
		for (const said of ["acme::scale_", "acme::pair", "acme::mix"]) {
			await page.getByText(said).first().waitFor();
		}
		const text = await page.locator("main").innerText();
		assert.match(text, /operator-removed/);
		assert.match(text, /argument-added-with-default/);
	});

	it("finds operators with and without their namespace", async (t) => {
		const page = await web.open(t, "/p/acme-ops/r/0.2/operators?q=mix");
		await page.getByRole("link", { name: "acme::mix" }).waitFor();
	});
});
