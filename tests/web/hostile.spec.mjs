// Declarations full of what would be markup or script somewhere: no view may take it for such.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fits, importInto, settled, site, skip } from "./harness.mjs";

const MARKUP = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>";
const LINK = "javascript:document.title='owned'";

// Names stay what the grammar takes; everything that is free text is hostile.
const FILE = `
- func: plain(Tensor self, str mode="${MARKUP.replaceAll('"', "")}") -> Tensor
  variants: function
  dispatch:
    CPU: plain_cpu
- func: acme::dots.${"x".repeat(120)}(Tensor(a!) self, *, str text="{{7*7}}") -> Tensor(a!)
  dispatch:
    CompositeExplicitAutograd: "kernel_<b>bold</b>"
- func: constructor(Tensor self, str a="${LINK}") -> Tensor
  python_module: "<svg onload=document.title='owned'>"
  tags: "<i>tag</i>"
- func: __proto__(Tensor self) -> Tensor
  python_module: __proto__
- func: toString(Tensor self, str s="\\u202e\\u0000") -> Tensor
- func: "<b>broken</b>(("
- func: "${LINK}"
`;

describe("hostile text", { skip, concurrency: false }, () => {
	const web = site({
		prepare(database, dir) {
			const bundle = join(dir, "bundle");
			mkdirSync(bundle);
			writeFileSync(join(bundle, "native_functions.yaml"), FILE);
			importInto(database, "hostile", "main", bundle);
		},
	});

	const unharmed = async (page, path) => {
		await settled(page);
		assert.notEqual(await page.title(), "owned", path);
		const planted = await page.evaluate(
			() => document.querySelectorAll("#root img[src='x'], #root script, #root svg[onload], #root [onerror]").length,
		);
		assert.equal(planted, 0, path);
		const links = await page.evaluate(() =>
			[...document.querySelectorAll("a[href]")].filter((a) => a.protocol === "javascript:").length,
		);
		assert.equal(links, 0, path);
		await fits(page, path);
	};

	it("is text on every view", async (t) => {
		const { items } = await (
			await fetch(`${web.base}/v1/projects/hostile/revisions/main/operators?limit=1000`)
		).json();
		assert.ok(items.length >= 3, JSON.stringify(items.map(({ name }) => name)));
		const base = "/p/hostile/r/main";
		const paths = [
			"/",
			base,
			`${base}/operators`,
			`${base}/operators?q=${encodeURIComponent(MARKUP)}&tag=${encodeURIComponent(MARKUP)}`,
			`${base}/backends?columns=all&cell=${encodeURIComponent(`${MARKUP},CPU`)}`,
			`${base}/backends/${encodeURIComponent(MARKUP)}`,
			`${base}/backends/CPU?q=${encodeURIComponent(MARKUP)}`,
			`${base}/backends/CPU/upgrade?against=${encodeURIComponent(MARKUP)}`,
			`${base}/backends/CPU/${encodeURIComponent(MARKUP)}`,
			`${base}/operators/${encodeURIComponent(MARKUP)}`,
			`/p/${encodeURIComponent(MARKUP)}/r/${encodeURIComponent(MARKUP)}/operators`,
			`/docs?q=${encodeURIComponent(MARKUP)}`,
			`${base}/files/native_functions.yaml#L4`,
			`${base}/files/native_functions.yaml?operator=${encodeURIComponent(MARKUP)}&rule=${encodeURIComponent(MARKUP)}`,
			`${base}/files/${encodeURIComponent(MARKUP)}`,
			`${base}/gaps/CPU?tag=${encodeURIComponent(MARKUP)}&python_module=${encodeURIComponent(MARKUP)}`,
			`/p/hostile/operators/plain/history?from=${encodeURIComponent(MARKUP)}`,
			...items.map(({ name }) => `${base}/operators/${encodeURIComponent(name)}?key=CPU&with=CPU:${LINK}`),
		];
		for (const path of paths) {
			const page = await web.open(t, path, { width: 360, fine: [/status of 4\d\d/] });
			await unharmed(page, path);
			await page.close();
		}
	});

	it("is text in the search", async (t) => {
		const page = await web.open(t, "/p/hostile/r/main/operators");
		await settled(page);
		await page.keyboard.press("/");
		await page.getByRole("combobox", { name: "Search" }).fill("proto");
		await page.locator("#palette-hits").getByRole("option", { name: /^operator/ }).first().waitFor();
		await unharmed(page, "search");
	});
});
