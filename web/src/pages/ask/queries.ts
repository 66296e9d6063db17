import { queryOptions } from "@tanstack/react-query";
import { client, data, text } from "../../api/client";
import type { components } from "../../api/schema";

export type AskAnswer = components["schemas"]["AskAnswer"];
export type PreflightAnswer = components["schemas"]["PreflightAnswer"];

/** What a text means. */
export const askQuery = (asked: string) =>
	queryOptions({
		queryKey: ["ask", asked],
		retry: false,
		queryFn: ({ signal }) => data(client.POST("/v1/ask", { body: { text: asked }, signal })),
	});

/** A model that is judged; its bytes are sent and not kept. */
export interface Given {
	/** Its name, and a mark that tells two files of one name apart. */
	id: string;
	model: Blob;
}

export interface PreflightRequest {
	project: string;
	rev: string | undefined;
	backend: string;
	training: boolean;
}

/** Whether a model runs on backends. */
export const preflightQuery = (given: Given | undefined, request: PreflightRequest) =>
	queryOptions({
		queryKey: ["preflight", given?.id, request],
		enabled: given !== undefined,
		retry: false,
		queryFn: async ({ signal }): Promise<PreflightAnswer> => {
			const { project, rev, backend, training } = request;
			const query = new URLSearchParams({ project, backend, training: String(training) });
			if (rev) query.set("revision", rev);
			const answer = await text(`/v1/preflight?${query}`, {
				method: "POST",
				body: given?.model ?? "",
				headers: { "Content-Type": "application/octet-stream" },
				signal,
			});
			return JSON.parse(answer);
		},
	});
