import { queryOptions } from "@tanstack/react-query";
import { client, data } from "../../api/client";
import type { Operator } from "../../api/queries";

/** Answers about texts that nobody will type again are soon forgotten. */
const KEPT = 30_000;

const asYaml = {
	bodySerializer: (body: unknown) => String(body),
	headers: { "Content-Type": "application/yaml" },
};

/** What the rules find in a text, with the text that it was found in. */
export const validationQuery = (text: string, release: string | undefined) =>
	queryOptions({
		queryKey: ["validate", release ?? "", text],
		gcTime: KEPT,
		queryFn: async ({ signal }) => {
			const params = { query: { release } };
			const answer = client.POST("/v1/validate", {
				params,
				body: text as never,
				signal,
				...asYaml,
			});
			return { text, ...(await data(answer)) };
		},
	});

/** The operators that a text declares. */
export const parseQuery = (text: string, release: string | undefined) =>
	queryOptions({
		queryKey: ["parse", release ?? "", text],
		gcTime: KEPT,
		queryFn: ({ signal }) => {
			const params = { query: { release, generated: "include" as const } };
			return data(client.POST("/v1/parse", { params, body: text as never, signal, ...asYaml }));
		},
	});

/** The dispatch table that an operator's registrations make. */
export const calculationQuery = (operator: Operator, release: string) => {
	const registrations = operator.registrations
		.filter((made) => !made.overridden)
		.map(({ key, kernel, fallthrough }) => ({ key, kernel: kernel ?? "a kernel", fallthrough }));
	return queryOptions({
		queryKey: ["calculation", release, registrations],
		gcTime: KEPT,
		queryFn: ({ signal }) => {
			const params = { query: { release } };
			return data(
				client.POST("/v1/dispatch", { params, body: { registrations, fallbacks: null }, signal }),
			);
		},
	});
};

/** The declarations of an operator of a text, and how it is implemented for a key. */
export const postedSignaturesQuery = (
	text: string,
	release: string | undefined,
	operator: string,
	key: string,
) =>
	queryOptions({
		queryKey: ["posted signatures", release ?? "", operator, key, text],
		gcTime: KEPT,
		queryFn: ({ signal }) => {
			const params = { query: { release, operator, key } };
			return data(
				client.POST("/v1/signatures", { params, body: text as never, signal, ...asYaml }),
			);
		},
	});
