import { queryOptions } from "@tanstack/react-query";
import { client, data } from "../../api/client";
import type { Profile } from "../../lib/levels";

/** Two revisions of a project, compared. Labels move, so it is asked again after a while. */
export const comparisonQuery = (project: string, range: string, profile: Profile | undefined) =>
	queryOptions({
		queryKey: ["comparison", project, range, profile ?? ""],
		staleTime: 60_000,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/compare/{range}", {
					params: { path: { project, range }, query: { profile } },
					signal,
				}),
			),
	});

/** Two texts of `native_functions.yaml`. */
export interface Texts {
	base: string;
	head: string;
}

const side = (title: string, text: string) => ({
	title,
	files: { "native_functions.yaml": text },
	project: null,
	revision: null,
	release: null,
});

export const bodyOf = ({ base, head }: Texts) => ({
	base: side("base", base),
	head: side("head", head),
	policy: null,
	exceptions: [],
});

/** Two texts, compared; nothing is stored. */
export const compareTexts = (
	texts: Texts,
	release: string | undefined,
	profile: Profile | undefined,
) =>
	data(
		client.POST("/v1/compare", {
			params: { query: { release, profile } },
			body: bodyOf(texts),
		}),
	);
