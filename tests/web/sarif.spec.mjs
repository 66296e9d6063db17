// SARIF reports against the official JSON schema of SARIF 2.1.0, which an npm package carries.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(join(root, "web/package.json"));
const program = process.env.OPATLAS_PROGRAM ?? join(root, "target/debug/opatlas");

/** The validator of SARIF 2.1.0. */
function validator() {
	const Ajv = require("ajv").default;
	const folder = dirname(require.resolve("schemastore/package.json"));
	const schema = JSON.parse(readFileSync(join(folder, "schemas/json/sarif-2.1.0.json"), "utf8"));
	// One pattern of the schema is not valid with the u flag.
	const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
	require("ajv-formats").default(ajv);
	return ajv.compile(schema);
}

const BASE = `- func: blend.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  variants: function, method
- func: gone(Tensor self) -> Tensor
- func: keep(Tensor self, int dim) -> Tensor
`;
const HEAD = `- func: blend.Tensor(Tensor self, Tensor other, *, Scalar alpha) -> Tensor
  variants: function, metod
- func: keep(Tensor self, int axis) -> Tensor
- func: fill_rows_(Tensor(a) self, Tensr rows) -> Tensor(a)
  dispatch:
    CPUU: "名前"
`;

describe("SARIF", () => {
	const validate = validator();
	let folder;
	before(() => {
		folder = mkdtempSync(join(tmpdir(), "opatlas-sarif-"));
		writeFileSync(join(folder, "base.yaml"), BASE);
		writeFileSync(join(folder, "head.yaml"), HEAD);
		writeFileSync(join(folder, "empty.yaml"), "");
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	function report(args, results) {
		const done = spawnSync(program, [...args, "--format", "sarif"], { cwd: folder, encoding: "utf8" });
		const sarif = JSON.parse(done.stdout);
		assert.ok(validate(sarif), JSON.stringify(validate.errors, null, 1));
		assert.ok(sarif.runs[0].results.length >= results, done.stdout);
	}

	it("of findings", () => report(["check", "head.yaml"], 3));
	it("of a file without entries", () => report(["check", "empty.yaml"], 0));
	it("of changes", () => report(["compare", "base.yaml", "head.yaml"], 3));
	it("refuses what is not SARIF", () => assert.ok(!validate({ version: "2.1.0", runs: [{}] })));
});
