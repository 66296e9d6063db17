// Asks a server through the client in TypeScript.
import assert from "node:assert/strict";
import { opatlas } from "../../clients/typescript/dist/index.js";

const client = opatlas(process.argv[2]);
const path = { project: "pytorch", revision: "2.15.0" };

const operators = await client.GET("/v1/projects/{project}/revisions/{revision}/operators", {
	params: { path, query: { q: "blend", limit: 1 } },
});
assert.equal(operators.data.items.length, 1);
const [{ name: operator }] = operators.data.items;

const table = await client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}/dispatch", {
	params: { path: { ...path, operator }, query: { key: "MPS", with: ["MPS:mine"] } },
});
assert.ok(table.response.ok, JSON.stringify(table.error));

const missing = await client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}", {
	params: { path: { ...path, operator: "blnd" } },
});
assert.equal(missing.response.status, 404);
assert.equal(missing.error.type, "/problems/unknown-operator");

const checked = await client.POST("/v1/validate", {
	headers: { "Content-Type": "application/yaml" },
	body: "- func: f(Tensr self) -> Tensor\n",
});
assert.equal(checked.data.findings[0].rule, "type-unknown");

const parsed = await client.POST("/v1/schemas/parse", { body: { schema: "f(Tensor self) -> Tensor" } });
assert.equal(parsed.data.kind, "functional");
console.log("the client in TypeScript and the server understand each other");
