import { queryOptions } from "@tanstack/react-query";
import { client, data } from "../../api/client";
import type { components } from "../../api/schema";

type Schemas = components["schemas"];
export type RunItem = Schemas["ProbeRunItem"];
export type Progress = Schemas["ProbeProgress"];
export type Verdicts = Schemas["ProbeVerdicts"];
export type Test = Schemas["ProbeVerdict"];

/** How many runs and tests stand on a page. */
const RUNS = 50;
const TESTS = 50;

/** Workers add to runs, so they are asked for again when one comes back to a page. */
const MOVING = { staleTime: 0, refetchOnWindowFocus: true } as const;

/** The runs of a project, newest first: one page. */
export const runsQuery = (project: string, cursor: string | undefined) =>
	queryOptions({
		queryKey: ["probe runs", project, cursor ?? ""],
		...MOVING,
		queryFn: ({ signal }) => {
			const params = { path: { project }, query: { limit: RUNS, cursor } };
			return data(client.GET("/v1/projects/{project}/probe/runs", { params, signal }));
		},
	});

/** How far a run is. */
export const runQuery = (project: string, run: string) =>
	queryOptions({
		queryKey: ["probe run", project, run],
		...MOVING,
		queryFn: ({ signal }) => {
			const params = { path: { project, run } };
			return data(client.GET("/v1/projects/{project}/probe/runs/{run}", { params, signal }));
		},
	});

/** Which tests of a run. */
export interface VerdictsAsked {
	agrees?: "yes" | "no" | "unknown" | undefined;
	cursor?: string | undefined;
}

/** What a run measured, next to the verdicts: one page of tests. */
export const verdictsQuery = (project: string, run: string, asked: VerdictsAsked) =>
	queryOptions({
		queryKey: ["probe verdicts", project, run, asked.agrees ?? "no", asked.cursor ?? ""],
		...MOVING,
		placeholderData: (before: Verdicts | undefined, query) =>
			query?.queryKey[1] === project && query.queryKey[2] === run ? before : undefined,
		queryFn: ({ signal }) => {
			const query = { agrees: asked.agrees ?? "no", cursor: asked.cursor, limit: TESTS } as const;
			const params = { path: { project, run }, query };
			const url = "/v1/projects/{project}/probe/runs/{run}/verdicts";
			return data(client.GET(url, { params, signal }));
		},
	});
