import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { addressOf, curl, type Draft, exampleOf, quoted, read, typeWords } from "./openapi";

const document = JSON.parse(
	readFileSync(new URL("../../../openapi/openapi.json", import.meta.url), "utf8"),
);
const api = read(document);
const operation = (id: string) => {
	const found = api.operations.find((operation) => operation.id === id);
	if (!found) throw new Error(`no operation ${id}`);
	return found;
};
const draft = (values: Record<string, string>, rest: Partial<Draft> = {}): Draft => ({
	values,
	media: undefined,
	body: "",
	accept: undefined,
	...rest,
});

describe("the description of the API", () => {
	it("is read whole: every operation with a tag that is told of", () => {
		const ids = api.operations.map(({ id }) => id);
		expect(ids).toContain("validate");
		expect(new Set(ids).size).toBe(ids.length);
		for (const { tag } of api.operations) {
			expect(api.tags.find(({ name }) => name === tag)?.text).not.toBe("");
		}
	});

	it("gives an example of every schema, those that hold themselves included", () => {
		for (const [name, schema] of Object.entries(api.schemas)) {
			expect(exampleOf(schema, api.schemas), name).not.toBeUndefined();
		}
	});

	it("has nothing where a document has nothing", () => {
		expect(read({}).operations).toEqual([]);
		expect(read(null).title).toBe("");
	});
});

describe("types in words", () => {
	it("name what they refer to", () => {
		expect(typeWords({ type: ["string", "null"] })).toBe("string | null");
		expect(typeWords({ type: "array", items: { $ref: "#/components/schemas/Entry" } })).toBe(
			"list of Entry",
		);
		expect(typeWords({ oneOf: [{ $ref: "#/x/Fix" }, { type: "null" }] })).toBe("Fix | null");
	});
});

describe("requests", () => {
	it("keep what a path must not split", () => {
		const one = operation("get_operator");
		const values = { "path project": "a/b", "path revision": "2.9.0", "path operator": "x::y" };
		expect(addressOf(one, draft(values))).toBe(
			"/v1/projects/a%2Fb/revisions/2.9.0/operators/x%3A%3Ay",
		);
		expect(addressOf(one, draft({}))).toContain("{operator}");
	});

	it("as commands stand for exactly what is sent", () => {
		const body = "- func: it's(Tensor self) -> Tensor\n";
		const written = curl(
			"http://localhost",
			operation("validate"),
			draft({ "query release": "2.9" }, { media: "application/yaml", body }),
			true,
		);
		expect(written).toBe(
			"curl --fail-with-body -X POST -H 'Content-Type: application/yaml' " +
				'-H "Authorization: Bearer $OPATLAS_TOKEN" ' +
				"--data-binary '- func: it'\\''s(Tensor self) -> Tensor\n' " +
				"'http://localhost/v1/validate?release=2.9'",
		);
		expect(quoted("$(rm x)")).toBe("'$(rm x)'");
	});
});
