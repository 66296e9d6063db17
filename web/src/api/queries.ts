import { QueryClient, queryOptions } from "@tanstack/react-query";
import { client, data, text } from "./client";
import { ApiError } from "./problem";
import type { components, operations } from "./schema";

type Schemas = components["schemas"];
export type Entry = Schemas["Entry"];
export type Finding = Schemas["Finding"];
export type Operator = Schemas["Operator"];
export type OperatorPage = Schemas["OperatorPage"];
export type Registration = Schemas["Registration"];
export type Revision = Schemas["Revision"];
export type RevisionItem = Schemas["RevisionItem"];
export type Rule = Schemas["Rule"];
export type Signatures = Schemas["Signatures"];
export type Implementation = Schemas["Implementation"];
export type Span = Schemas["Span"];
export type TableView = Schemas["TableView"];
export type MatrixView = Schemas["MatrixView"];
export type KeyItem = Schemas["KeyItem"];
export type TableQuery = Partial<
	NonNullable<operations["get_dispatch_table"]["parameters"]["query"]>
>;

/** Where a view is: a project and an address of one of its revisions. */
export interface Place {
	project: string;
	rev: string;
}

const MINUTE = 60_000;

/**
 * Answers about a revision never change while the program runs, so they stay fresh; lists of
 * projects, revisions and labels move. What the client asked for wrongly is not asked again.
 */
export const queryClient = new QueryClient({
	defaultOptions: {
		queries: {
			staleTime: 10 * MINUTE,
			gcTime: 15 * MINUTE,
			refetchOnWindowFocus: false,
			retry: (failures, error) =>
				failures < 1 && error instanceof ApiError && (error.status === 503 || error.status === 429),
		},
	},
});

const path = ({ project, rev }: Place) => ({ project, revision: rev });

export const versionQuery = queryOptions({
	queryKey: ["version"],
	queryFn: ({ signal }) => data(client.GET("/v1/version", { signal })),
});

/** Lists that others add to are asked for again when a page opens and when one comes back to it. */
const MOVING = { staleTime: 0, refetchOnWindowFocus: true } as const;

export const projectsQuery = queryOptions({
	queryKey: ["projects"],
	...MOVING,
	queryFn: async ({ signal }) => {
		const query = { limit: 1000 };
		return (await data(client.GET("/v1/projects", { params: { query }, signal }))).items;
	},
});

/** All revisions of a project, as the store lists them. */
export const revisionsQuery = (project: string) =>
	queryOptions({
		queryKey: ["revisions", project],
		...MOVING,
		queryFn: async ({ signal }) => {
			const items: RevisionItem[] = [];
			let cursor: string | undefined;
			do {
				const params = { path: { project }, query: { limit: 1000, cursor } };
				const page = await data(client.GET("/v1/projects/{project}/revisions", { params, signal }));
				items.push(...page.items);
				cursor = page.next_cursor ?? undefined;
			} while (cursor);
			return items;
		},
	});

export const revisionQuery = (place: Place) =>
	queryOptions({
		queryKey: ["revision", place.project, place.rev],
		staleTime: MINUTE,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}", {
					params: { path: path(place) },
					signal,
				}),
			),
	});

/** The most revisions whose steps are asked for at once, which is what the server gives. */
const STEPS = 2000;

/** What each revision changed since the one before it on the project's timeline. */
export const stepsQuery = (project: string) =>
	queryOptions({
		queryKey: ["steps", project],
		...MOVING,
		queryFn: async ({ signal }) => {
			const params = { path: { project }, query: { points: STEPS, coverage: false } };
			return (await data(client.GET("/v1/projects/{project}/trends", { params, signal }))).points;
		},
	});

/** Which registrations make the tables. */
export interface Tables {
	build?: string | undefined;
	source?: "everything" | "files" | undefined;
}

/** Every operator by every key. */
export const matrixQuery = (place: Place, tables: Tables = {}) =>
	queryOptions({
		queryKey: ["matrix", place.project, place.rev, tables.build ?? "", tables.source ?? ""],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/matrix", {
					params: { path: path(place), query: tables },
					signal,
				}),
			),
	});

/** What operators have at each key, generated ones left out. */
export const keysQuery = (place: Place) =>
	queryOptions({
		queryKey: ["keys", place.project, place.rev],
		queryFn: async ({ signal }) => {
			const params = { path: path(place), query: { limit: 1000, generated: "exclude" as const } };
			return (
				await data(
					client.GET("/v1/projects/{project}/revisions/{revision}/keys", { params, signal }),
				)
			).items;
		},
	});

/** The name of an operator in paths: qualified unless its namespace is `aten`. */
export const nameOf = ({ namespace, name }: Pick<OperatorPage, "namespace" | "name">) =>
	namespace === "aten" ? name : `${namespace}::${name}`;

export const operatorQuery = (place: Place, operator: string) =>
	queryOptions({
		queryKey: ["operator", place.project, place.rev, operator],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}", {
					params: { path: { ...path(place), operator } },
					signal,
				}),
			),
	});

/** The operators of a name, whatever follows the dot. */
export const overloadsQuery = (place: Place, base_name: string) =>
	queryOptions({
		queryKey: ["overloads", place.project, place.rev, base_name],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators", {
					params: { path: path(place), query: { base_name, limit: 1000 } },
					signal,
				}),
			),
	});

/** An operator's dispatch table, or one entry of it with its explanation, or before and after. */
export const tableQuery = (place: Place, operator: string, query: TableQuery = {}) =>
	queryOptions({
		queryKey: ["table", place.project, place.rev, operator, query],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}/dispatch", {
					params: {
						path: { ...path(place), operator },
						query: { with: [], without: [], ...query },
					},
					signal,
				}),
			),
	});

/** The C++ and Python declarations of an operator, and how it is implemented for a key. */
export const signaturesQuery = (place: Place, operator: string, key?: string) =>
	queryOptions({
		queryKey: ["signatures", place.project, place.rev, operator, key ?? ""],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}/signatures", {
					params: { path: { ...path(place), operator }, query: { key } },
					signal,
				}),
			),
	});

export const findingsQuery = (place: Place) =>
	queryOptions({
		queryKey: ["findings", place.project, place.rev],
		queryFn: async ({ signal }) => {
			const params = { path: path(place), query: { limit: 1000 } };
			return data(
				client.GET("/v1/projects/{project}/revisions/{revision}/findings", { params, signal }),
			);
		},
	});

/** All findings of a revision, whichever file they are in. */
export const fileFindingsQuery = (place: Place) =>
	queryOptions({
		queryKey: ["findings", place.project, place.rev, "all"],
		queryFn: async ({ signal }) => {
			const items: Finding[] = [];
			let cursor: string | undefined;
			do {
				const params = { path: path(place), query: { limit: 1000, cursor } };
				const page = await data(
					client.GET("/v1/projects/{project}/revisions/{revision}/findings", { params, signal }),
				);
				items.push(...page.items);
				cursor = page.next_cursor ?? undefined;
			} while (cursor);
			return items;
		},
	});

/** A file of a revision, as it was given. */
export const fileQuery = (place: Place, file: string) =>
	queryOptions({
		queryKey: ["file", place.project, place.rev, file],
		queryFn: ({ signal }) =>
			text(apiPath(place, `/files/${encodeURIComponent(file)}`), {
				headers: { accept: "*/*" },
				signal,
			}),
	});

export const rulesQuery = queryOptions({
	queryKey: ["rules"],
	queryFn: async ({ signal }) => {
		const params = { query: { limit: 1000 } };
		return (await data(client.GET("/v1/rules", { params, signal }))).items;
	},
});

/** One rule. */
export const ruleQuery = (rule: string) =>
	queryOptions({
		queryKey: ["rule", rule],
		queryFn: ({ signal }) =>
			data(client.GET("/v1/rules/{rule}", { params: { path: { rule } }, signal })),
	});

/** Operators of any revision that hold the words, or only those that the last one does not have. */
export const searchQuery = (
	project: string,
	q: string,
	asked: { limit: number; removed?: boolean },
) =>
	queryOptions({
		queryKey: ["search", project, q, asked],
		staleTime: MINUTE,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/search", {
					params: { path: { project }, query: { q, ...asked } },
					signal,
				}),
			),
	});

/** The topics, of which there are few. */
export const topicsQuery = queryOptions({
	queryKey: ["topics"],
	queryFn: async ({ signal }) => {
		const params = { query: { limit: 1000 } };
		return (await data(client.GET("/v1/topics", { params, signal }))).items;
	},
});

/** One topic; tables in it are those of the release. */
export const topicQuery = (topic: string, release: string | undefined) =>
	queryOptions({
		queryKey: ["topic", topic, release ?? ""],
		queryFn: ({ signal }) => {
			const params = { path: { topic }, query: { release } };
			return data(client.GET("/v1/topics/{topic}", { params, signal }));
		},
	});

/** The releases that the program knows. */
export const releasesQuery = queryOptions({
	queryKey: ["releases"],
	queryFn: async ({ signal }) => {
		const params = { query: { limit: 1000 } };
		return (await data(client.GET("/v1/releases", { params, signal }))).items;
	},
});

/** What the program knows of a release: its keys and which names stand for several. */
export const releaseQuery = (release: string) =>
	queryOptions({
		queryKey: ["release", release],
		queryFn: ({ signal }) =>
			data(client.GET("/v1/releases/{release}", { params: { path: { release } }, signal })),
	});

/** The address of a view's data in the API, for links and downloads. */
export function apiPath({ project, rev }: Place, rest: string): string {
	return `/v1/projects/${encodeURIComponent(project)}/revisions/${encodeURIComponent(rev)}${rest}`;
}
