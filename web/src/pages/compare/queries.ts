import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { text as ask, client, data } from "../../api/client";
import type { FailOn, Profile } from "../../lib/levels";
import type { Sides } from "../../lib/sides";
import { segment } from "../../nav";

/** How to judge: for whom, and from which level on it fails. */
export interface Judging {
	profile?: Profile | undefined;
	fail_on?: FailOn | undefined;
}

/** Two revisions of a project, compared. Labels move, so it is asked again after a while. */
export const comparisonQuery = (project: string, range: string, { profile, fail_on }: Judging) =>
	queryOptions({
		queryKey: ["comparison", project, range, profile ?? "", fail_on ?? ""],
		staleTime: 60_000,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/compare/{range}", {
					params: { path: { project, range }, query: { profile, fail_on } },
					signal,
				}),
			),
	});

const side = (title: string, text: string) => ({
	title,
	files: { "native_functions.yaml": text },
	project: null,
	revision: null,
	release: null,
});

export const bodyOf = ({ base, head }: Sides) => ({
	base: side("base", base),
	head: side("head", head),
	policy: null,
	exceptions: [],
});

/** Two texts of `native_functions.yaml`, compared; nothing is stored. */
export const pastedQuery = (
	sides: Sides,
	release: string | undefined,
	{ profile, fail_on }: Judging,
) =>
	queryOptions({
		queryKey: ["pasted", sides, release ?? "", profile ?? "", fail_on ?? ""],
		placeholderData: keepPreviousData,
		queryFn: ({ signal }) =>
			data(
				client.POST("/v1/compare", {
					params: { query: { release, profile, fail_on } },
					body: bodyOf(sides),
					signal,
				}),
			),
	});

/** Stores a text as a revision of a project, and gives its address. */
export async function ingest(project: string, text: string): Promise<string> {
	const answer = await ask(`/v1/projects/${segment(project)}/revisions`, {
		method: "POST",
		headers: { "content-type": "application/yaml", accept: "application/json" },
		body: text,
	});
	return JSON.parse(answer).revision;
}

/** The exceptions of a project. */
export const exceptionsQuery = (project: string) =>
	queryOptions({
		queryKey: ["exceptions", project],
		staleTime: 60_000,
		queryFn: async ({ signal }) => {
			const asked = client.GET("/v1/projects/{project}/exceptions", {
				params: { path: { project } },
				signal,
			});
			return (await data(asked)).items;
		},
	});
