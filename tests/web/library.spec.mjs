// A project that is an operator library: a list of schemas instead of native_functions.yaml.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { site, skip } from "./harness.mjs";
import { importLibrary } from "./otherProjects.mjs";

describe("libraries", { skip, concurrency: false }, () => {
	const web = site({ prepare: importLibrary });

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
