import { queryOptions } from "@tanstack/react-query";
import { client, data } from "../../api/client";
import type { Finding, Operator, Place } from "../../api/queries";

/** Answers about texts that nobody will type again are soon forgotten. */
const KEPT = 30_000;

const asYaml = {
	bodySerializer: (body: unknown) => String(body),
	headers: { "Content-Type": "application/yaml" },
};

/** What the rules find in a text, with the text that it was found in. */
export interface Checked {
	text: string;
	valid: boolean;
	release: string;
	notes: string[];
	summary: { operators: number; errors: number; warnings: number; infos: number };
	findings: Finding[];
	/** What it does to the revision that it is checked over. */
	over?: { place: Place; added: string[]; replaced: string[]; elsewhere: Finding[] };
}

/** Checks a text over a revision, or else on its own by the rules of a release. */
export const validationQuery = (
	text: string,
	release: string | undefined,
	place: Place | undefined,
) => (place ? overQuery(text, place) : aloneQuery(text, release));

const overQuery = (text: string, place: Place) =>
	queryOptions({
		queryKey: ["validate", `${place.project}/${place.rev}`, text],
		gcTime: KEPT,
		queryFn: async ({ signal }): Promise<Checked> => {
			const answer = client.POST("/v1/projects/{project}/revisions/{revision}/validate", {
				params: { path: { project: place.project, revision: place.rev } },
				body: text,
				signal,
				...asYaml,
			});
			const { added, replaced, elsewhere, ...rest } = await data(answer);
			return { text, ...rest, over: { place, added, replaced, elsewhere } };
		},
	});

const aloneQuery = (text: string, release: string | undefined) =>
	queryOptions({
		queryKey: ["validate", release ?? "", text],
		gcTime: KEPT,
		queryFn: async ({ signal }): Promise<Checked> => {
			const params = { query: { release } };
			const answer = client.POST("/v1/validate", {
				params,
				body: text,
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
			return data(client.POST("/v1/parse", { params, body: text, signal, ...asYaml }));
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
				client.POST("/v1/signatures", { params, body: text, signal, ...asYaml }),
			);
		},
	});
