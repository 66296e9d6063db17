import createClient from "openapi-fetch";
import { errorOf, unreachable } from "./problem";
import type { paths } from "./schema";
import { authorized } from "./token";

/** Asks the server, with the token where one is given. */
async function ask(request: Request): Promise<Response> {
	try {
		return await fetch(authorized(request));
	} catch (error) {
		if (error instanceof DOMException && error.name === "AbortError") throw error;
		throw unreachable();
	}
}

/** The typed client of the API that serves this page. */
export const client = createClient<paths, "application/json">({
	baseUrl: location.origin,
	fetch: ask,
});

interface Answer<T> {
	data?: T;
	error?: unknown;
	response: Response;
}

/** The data of an answer; throws an `ApiError` where there is none. */
export async function data<T>(answer: Promise<Answer<T>>): Promise<T> {
	const { data, error, response } = await answer;
	if (data === undefined) throw errorOf(response, error);
	return data;
}

/** An answer as text, in a form that is not JSON; throws an `ApiError` where there is none. */
export async function text(path: string, init: RequestInit): Promise<string> {
	const response = await ask(new Request(new URL(path, location.origin), init));
	if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
	return response.text();
}

/** The answer itself, whatever its status. */
export const raw = (path: string, init: RequestInit): Promise<Response> =>
	ask(new Request(new URL(path, location.origin), init));
