/** A schema as OpenAPI 3.1 writes it, as far as the page shows it. */
export interface Schema {
	$ref?: string;
	type?: string | string[];
	format?: string;
	description?: string;
	enum?: unknown[];
	items?: Schema;
	properties?: Record<string, Schema>;
	required?: string[];
	additionalProperties?: Schema | boolean;
	oneOf?: Schema[];
	anyOf?: Schema[];
	allOf?: Schema[];
	example?: unknown;
	default?: unknown;
	minimum?: number;
	maximum?: number;
	const?: unknown;
}

export interface Parameter {
	name: string;
	in: "path" | "query" | "header";
	description?: string;
	required?: boolean;
	schema: Schema;
	example?: unknown;
}

interface Content {
	schema?: Schema;
	example?: unknown;
}

/** One thing that the API does. */
export interface Operation {
	id: string;
	method: string;
	path: string;
	tag: string;
	summary: string;
	description: string;
	parameters: Parameter[];
	body: { required: boolean; description: string; content: Record<string, Content> } | undefined;
	responses: { status: string; description: string; content: Record<string, Content> }[];
}

/** The description of an API, as the page needs it. */
export interface Description {
	title: string;
	version: string;
	text: string;
	tags: { name: string; text: string }[];
	operations: Operation[];
	schemas: Record<string, Schema>;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

type Json = any;

/** Reads a description; what it lacks is empty. */
export function read(document: Json): Description {
	const operations: Operation[] = [];
	for (const [path, item] of Object.entries<Json>(document?.paths ?? {})) {
		for (const method of METHODS) {
			const found = item?.[method];
			if (!found) continue;
			operations.push({
				id: found.operationId ?? `${method} ${path}`,
				method: method.toUpperCase(),
				path,
				tag: found.tags?.[0] ?? "",
				summary: found.summary ?? path,
				description: found.description ?? "",
				parameters: [...(item.parameters ?? []), ...(found.parameters ?? [])],
				body: found.requestBody && {
					required: found.requestBody.required ?? false,
					description: found.requestBody.description ?? "",
					content: found.requestBody.content ?? {},
				},
				responses: Object.entries<Json>(found.responses ?? {}).map(([status, response]) => ({
					status,
					description: response.description ?? "",
					content: response.content ?? {},
				})),
			});
		}
	}
	const told: Json[] = document?.tags ?? [];
	const names = new Set([...told.map(({ name }) => name), ...operations.map(({ tag }) => tag)]);
	return {
		title: document?.info?.title ?? "",
		version: document?.info?.version ?? "",
		text: document?.info?.description ?? "",
		tags: [...names].map((name) => ({
			name,
			text: told.find((tag) => tag.name === name)?.description ?? "",
		})),
		operations,
		schemas: document?.components?.schemas ?? {},
	};
}

/** The name of a schema that is referred to. */
export const nameOf = (schema: Schema): string | undefined => schema.$ref?.split("/").at(-1);

/** A schema itself, where it is only referred to. */
export function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
	const name = nameOf(schema);
	return name === undefined ? schema : (schemas[name] ?? {});
}

/** A schema's type in a few words. */
export function typeWords(schema: Schema): string {
	const name = nameOf(schema);
	if (name !== undefined) return name;
	if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
	const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
	if (choices) return choices.map(typeWords).join(schema.allOf ? " & " : " | ");
	const types = [schema.type ?? "anything"].flat();
	const words = types.map((type) => {
		if (type === "array") return `list of ${schema.items ? typeWords(schema.items) : "anything"}`;
		if (type === "object" && typeof schema.additionalProperties === "object") {
			return `map to ${typeWords(schema.additionalProperties)}`;
		}
		return type;
	});
	return words.join(" | ");
}

/** How deep an example goes: schemas may hold themselves. */
const DEPTH = 6;

/** A value that fits a schema, made of its examples. */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>, depth = 0): unknown {
	const real = resolve(schema, schemas);
	if (real.example !== undefined) return real.example;
	if (real.default !== undefined) return real.default;
	if (real.const !== undefined) return real.const;
	if (real.enum) return real.enum[0];
	if (depth >= DEPTH) return null;
	const choice = (real.oneOf ?? real.anyOf)?.find((one) => one.type !== "null");
	if (choice) return exampleOf(choice, schemas, depth + 1);
	if (real.allOf) {
		const parts = real.allOf.map((part) => exampleOf(part, schemas, depth + 1));
		return Object.assign({}, ...parts);
	}
	const type = [real.type].flat().find((one) => one !== "null");
	if (type === "array") return real.items ? [exampleOf(real.items, schemas, depth + 1)] : [];
	if (type === "object" || real.properties) {
		const entries = Object.entries(real.properties ?? {});
		return Object.fromEntries(
			entries.map(([name, value]) => [name, exampleOf(value, schemas, depth + 1)]),
		);
	}
	if (type === "integer" || type === "number") return real.minimum ?? 0;
	if (type === "boolean") return false;
	return type === "string" ? "" : null;
}

/** A request that somebody puts together. */
export interface Draft {
	/** Values of parameters by `in` and name; empty ones are not sent. */
	values: Record<string, string>;
	media: string | undefined;
	body: string;
	accept: string | undefined;
}

export const slot = (parameter: Parameter) => `${parameter.in} ${parameter.name}`;

/** The path and query of a request. */
export function addressOf(operation: Operation, draft: Draft): string {
	let path = operation.path;
	const query = new URLSearchParams();
	for (const parameter of operation.parameters) {
		const value = draft.values[slot(parameter)] ?? "";
		if (parameter.in === "path") {
			path = path.replace(
				`{${parameter.name}}`,
				value === "" ? `{${parameter.name}}` : encodeURIComponent(value),
			);
		} else if (parameter.in === "query" && value !== "") {
			// What may be given several times is written as a comma list in the form.
			const isList = [parameter.schema.type].flat().includes("array");
			for (const one of isList ? value.split(",") : [value]) query.append(parameter.name, one);
		}
	}
	const written = query.toString();
	return written === "" ? path : `${path}?${written}`;
}

/** The headers of a request. */
export function headersOf(operation: Operation, draft: Draft): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const parameter of operation.parameters) {
		const value = draft.values[slot(parameter)] ?? "";
		if (parameter.in === "header" && value !== "") headers[parameter.name] = value;
	}
	if (draft.accept) headers.Accept = draft.accept;
	if (operation.body && draft.media) headers["Content-Type"] = draft.media;
	return headers;
}

/** A word of a shell's command line that stands for exactly this text. */
export const quoted = (text: string): string =>
	/^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The command that makes a request. */
export function curl(
	origin: string,
	operation: Operation,
	draft: Draft,
	hasToken: boolean,
): string {
	const words = ["curl", "--fail-with-body"];
	if (operation.method !== "GET") words.push("-X", operation.method);
	for (const [name, value] of Object.entries(headersOf(operation, draft))) {
		words.push("-H", quoted(`${name}: ${value}`));
	}
	// The shell puts the token in: it is shown nowhere.
	if (hasToken) words.push("-H", `"Authorization: Bearer $OPATLAS_TOKEN"`);
	if (operation.body && draft.body !== "") words.push("--data-binary", quoted(draft.body));
	words.push(quoted(origin + addressOf(operation, draft)));
	return words.join(" ");
}
