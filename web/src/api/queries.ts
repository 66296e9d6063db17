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
export type NameItem = Schemas["NameItem"];
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

/** Where a view is, as addresses have it: a project and a name of one of its revisions. */
export interface Place {
	project: string;
	rev: string;
}

/**
 * A revision, whatever it is called: what the server is asked for, and what answers are kept by.
 * The same files may be judged by the rules of several releases.
 */
export interface Content {
	project: string;
	/** The whole digest. */
	digest: string;
	/** The newest release where it is left out. */
	release?: string | undefined;
}

/** A revision that a view is of: its name is for people and addresses, its digest for the server. */
export interface At extends Place, Content {}

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

const path = ({ project, digest }: Content) => ({ project, revision: `sha256:${digest}` });

/** What answers about a revision are kept by. */
const keyOf = ({ project, digest, release }: Content) => [project, digest, release ?? ""] as const;

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

/** What the caller may do in a project; without one, where no project is concerned. */
export const accessQuery = (hasToken: boolean, project: string | undefined) =>
	queryOptions({
		queryKey: ["access", hasToken, project ?? ""],
		staleTime: 0,
		queryFn: ({ signal }) =>
			data(client.GET("/v1/access", { params: { query: { project } }, signal })),
	});

/** Whether the caller may read. */
export const canRead = ({ rights }: components["schemas"]["AccessView"]): boolean =>
	rights.some(({ action, verdict }) => action === "read" && verdict === "allowed");

/** The revision that a name means. Labels move, so it is asked for again after a while. */
export const revisionQuery = ({ project, rev }: Place) =>
	queryOptions({
		queryKey: ["revision", project, rev],
		staleTime: MINUTE,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}", {
					params: { path: { project, revision: rev } },
					signal,
				}),
			),
	});

/** The names of a project's revisions that have some words, newest first: one page. */
export const namesQuery = (project: string, words = "", limit = 50, cursor?: string) =>
	queryOptions({
		queryKey: ["names", project, words, limit, cursor ?? ""],
		...MOVING,
		queryFn: ({ signal }) => {
			const query = { q: words || undefined, limit, cursor };
			const params = { path: { project }, query };
			return data(client.GET("/v1/projects/{project}/timeline", { params, signal }));
		},
	});

/** What stays until other words are answered: names of the same project, never those of another. */
export const namesBefore =
	(project: string) =>
	<T>(before: T | undefined, query: { queryKey: readonly unknown[] } | undefined): T | undefined =>
		query?.queryKey[1] === project ? before : undefined;

/** A part of a timeline. */
export interface TimelinePart {
	from?: string;
	to?: string;
	line?: "releases" | "commits";
}

/** The most revisions whose steps are asked for at once, which is what the server gives. */
const STEPS = 2000;

/** What each revision changed since the one before it on the project's timeline. */
export const stepsQuery = (project: string, part: TimelinePart = {}) =>
	queryOptions({
		queryKey: ["steps", project, part],
		...MOVING,
		queryFn: async ({ signal }) => {
			const query = { points: STEPS, coverage: false, ...part };
			const params = { path: { project }, query };
			return (await data(client.GET("/v1/projects/{project}/trends", { params, signal }))).points;
		},
	});

/** How many points a small line has at most. */
const LINE_POINTS = 24;

/** The number of operators over the whole timeline, in a few points. */
export const lineQuery = (project: string) =>
	queryOptions({
		queryKey: ["line", project],
		staleTime: MINUTE,
		queryFn: async ({ signal }) => {
			const query = { points: LINE_POINTS, coverage: false };
			const params = { path: { project }, query };
			return (await data(client.GET("/v1/projects/{project}/trends", { params, signal }))).points;
		},
	});

/** Which registrations make the tables. */
export interface Tables {
	build?: string | undefined;
	source?: "everything" | "files" | undefined;
}

/** Every operator by every key. */
export const matrixQuery = (at: Content, tables: Tables = {}) =>
	queryOptions({
		queryKey: ["matrix", ...keyOf(at), tables.build ?? "", tables.source ?? ""],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/matrix", {
					params: { path: path(at), query: { ...tables, release: at.release } },
					signal,
				}),
			),
	});

/** What operators have at each key, generated ones left out. */
export const keysQuery = (at: Content) =>
	queryOptions({
		queryKey: ["keys", ...keyOf(at)],
		queryFn: async ({ signal }) => {
			const query = { limit: 1000, generated: "exclude" as const, release: at.release };
			const params = { path: path(at), query };
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

export const operatorQuery = (at: Content, operator: string) =>
	queryOptions({
		queryKey: ["operator", ...keyOf(at), operator],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}", {
					params: { path: { ...path(at), operator }, query: { release: at.release } },
					signal,
				}),
			),
	});

/** The operators of a name, whatever follows the dot. */
export const overloadsQuery = (at: Content, base_name: string) =>
	queryOptions({
		queryKey: ["overloads", ...keyOf(at), base_name],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators", {
					params: { path: path(at), query: { base_name, limit: 1000, release: at.release } },
					signal,
				}),
			),
	});

/** An operator's dispatch table, or one entry of it with its explanation, or before and after. */
export const tableQuery = (at: Content, operator: string, query: TableQuery = {}) =>
	queryOptions({
		queryKey: ["table", ...keyOf(at), operator, query],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}/dispatch", {
					params: {
						path: { ...path(at), operator },
						query: { with: [], without: [], release: at.release, ...query },
					},
					signal,
				}),
			),
	});

/** What becomes of an operator on each way to run it, and its dtypes. */
export const waysQuery = (at: Content, operator: string) =>
	queryOptions({
		queryKey: ["ways", ...keyOf(at), operator],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}/ways", {
					params: { path: { ...path(at), operator }, query: { release: at.release } },
					signal,
				}),
			),
	});

/** The C++ and Python declarations of an operator, and how it is implemented for a key. */
export const signaturesQuery = (at: Content, operator: string, key?: string) =>
	queryOptions({
		queryKey: ["signatures", ...keyOf(at), operator, key ?? ""],
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/revisions/{revision}/operators/{operator}/signatures", {
					params: { path: { ...path(at), operator }, query: { key, release: at.release } },
					signal,
				}),
			),
	});

export const findingsQuery = (at: Content) =>
	queryOptions({
		queryKey: ["findings", ...keyOf(at)],
		queryFn: async ({ signal }) => {
			const params = { path: path(at), query: { limit: 1000, release: at.release } };
			return data(
				client.GET("/v1/projects/{project}/revisions/{revision}/findings", { params, signal }),
			);
		},
	});

/** All findings of a revision, whichever file they are in. */
export const fileFindingsQuery = (at: Content) =>
	queryOptions({
		queryKey: ["findings", ...keyOf(at), "all"],
		queryFn: async ({ signal }) => {
			const items: Finding[] = [];
			let cursor: string | undefined;
			do {
				const params = { path: path(at), query: { limit: 1000, cursor, release: at.release } };
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
export const fileQuery = (at: Content, file: string) =>
	queryOptions({
		queryKey: ["file", ...keyOf(at), file],
		queryFn: ({ signal }) =>
			text(contentPath(at, `/files/${encodeURIComponent(file)}`), {
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

/** Where the API has something of a revision, whatever it is called. */
export function contentPath({ project, digest }: Content, rest: string): string {
	return apiPath({ project, rev: `sha256:${digest}` }, rest);
}

/** The address of a view's data in the API, for links and downloads. */
export function apiPath({ project, rev }: Place, rest: string): string {
	return `/v1/projects/${encodeURIComponent(project)}/revisions/${encodeURIComponent(rev)}${rest}`;
}
