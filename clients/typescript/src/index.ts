import createClient, { type Client, type ClientOptions } from "openapi-fetch";
import type { components, paths } from "./schema.js";

/** The bodies of requests and answers by name. */
export type Schemas = components["schemas"];

/** What every refusal says (RFC 9457). */
export type Problem = Schemas["Problem"];

/** A client whose paths, parameters and bodies are those of the API. */
export type Opatlas = Client<paths>;

/** Options of {@link opatlas}. */
export interface Options extends ClientOptions {
	/** A token of the service, if it asks for one. */
	token?: string;
}

/**
 * A client of the service at an address, such as `http://127.0.0.1:8080`.
 *
 * YAML and CSV bodies are sent as the text that they are.
 */
export function opatlas(baseUrl: string, options: Options = {}): Opatlas {
	const { token, headers, ...rest } = options;
	const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
	return createClient<paths>({
		bodySerializer: (body) => (typeof body === "string" ? body : JSON.stringify(body)),
		...rest,
		baseUrl,
		headers: { ...authorization, ...(headers as Record<string, string> | undefined) },
	});
}
