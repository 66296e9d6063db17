// Projects that are not PyTorch: an operator library, and a backend outside the tree.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./harness.mjs";

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

/** Imports two versions of an operator library, `acme-ops`. */
export function importLibrary(database, dir) {
	for (const [version, schemas] of Object.entries(VERSIONS)) {
		const file = join(dir, `acme-${version}.txt`);
		writeFileSync(file, schemas);
		const library = ["--library", file, "--namespace", "acme"];
		run("import", ...library, "--label", version, "--project", "acme-ops", "--database", database);
	}
}

/** The file of a backend outside PyTorch. */
export const BACKEND = `backend: PrivateUse1
cpp_namespace: acme
supported:
- add.Tensor
- cholesky
- _cdist_backward
`;

/** Imports it as `acme-npu`. */
export function importBackend(database, dir) {
	const file = join(dir, "acme.yaml");
	writeFileSync(file, BACKEND);
	const over = ["--over", "2.13.0", "--database", database];
	run("import", "--project", "acme-npu", "--backend", file, ...over);
}
