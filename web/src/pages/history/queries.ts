import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, data, text } from "../../api/client";
import { apiPath, type Content, contentPath, type Place } from "../../api/queries";
import type { components } from "../../api/schema";
import { type BadgeOf, badgePath } from "../../lib/badge";
import type { GivenFile } from "../../lib/givenFile";
import { stringify } from "../../lib/search";
import { segment } from "../../nav";

type Schemas = components["schemas"];
export type Gaps = Schemas["Gaps"];
export type GapView = Schemas["GapView"];
export type Trends = Schemas["Trends"];
export type SupportData = Schemas["SupportView"];
export type BackendReport = Schemas["BackendReport"];

/** Revisions come and labels move, so what spans a timeline is asked again after a while. */
const MINUTE = 60_000;

/** A part of a timeline. */
export interface Stretch {
	from?: string | undefined;
	to?: string | undefined;
}

/** Which part of an operator's history. */
export interface HistoryAsked extends Stretch {
	key?: string | undefined;
}

/** What happened to an operator. */
export const historyQuery = (project: string, operator: string, asked: HistoryAsked) =>
	queryOptions({
		queryKey: ["history", project, operator, asked],
		staleTime: MINUTE,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/operators/{operator}/history", {
					params: { path: { project, operator }, query: asked },
					signal,
				}),
			),
	});

export const trendsQuery = (project: string, { from, to }: Stretch) =>
	queryOptions({
		queryKey: ["trends", project, from ?? "", to ?? ""],
		staleTime: MINUTE,
		placeholderData: (before: Trends | undefined, query) =>
			query?.queryKey[1] === project ? before : undefined,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/trends", {
					params: { path: { project }, query: { from, to } },
					signal,
				}),
			),
	});

/** Operators by their fate on a way, over a timeline. */
export const wayTrendsQuery = (project: string, way: string, { from, to }: Stretch) =>
	queryOptions({
		queryKey: ["trends", project, from ?? "", to ?? "", way],
		staleTime: MINUTE,
		placeholderData: (before: Trends | undefined, query) =>
			query?.queryKey[1] === project ? before : undefined,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/trends", {
					params: { path: { project }, query: { from, to, way, coverage: false } },
					signal,
				}),
			),
	});

/** Which gaps: a backend of a revision, what to tell since, and how often operators are used. */
export interface GapsAsked {
	key: string;
	since?: string | undefined;
	only?: "lacking" | "inherited" | "unknown" | undefined;
	/** A usage file, in CSV or JSON. */
	usage?: string | undefined;
}

/** Where the API has the gaps. */
export const gapsApi = (place: Place, asked: GapsAsked): string => apiPath(place, gapsRest(asked));

function gapsRest({ key, since, only }: GapsAsked, release?: string): string {
	return `/gaps/${segment(key)}${stringify({ since, only, release })}`;
}

/** The gaps in a media type; with a usage file they are ranked by it, and nothing is stored. */
export function gapsText(
	at: Content,
	asked: GapsAsked,
	accept: string,
	signal: AbortSignal | null = null,
): Promise<string> {
	const { usage } = asked;
	const path = contentPath(at, gapsRest(asked, at.release));
	if (usage === undefined) return text(path, { headers: { accept }, signal });
	const type = /^\s*[[{]/.test(usage) ? "application/json" : "text/csv";
	const headers = { accept, "content-type": type };
	return text(path, { method: "POST", headers, body: usage, signal });
}

export const gapsQuery = (at: Content, asked: GapsAsked) =>
	queryOptions({
		queryKey: ["gaps", at.project, at.digest, at.release ?? "", asked] as const,
		// Gaps of another backend or revision would stand under a title that is not their own.
		placeholderData: (before: Gaps | undefined, query) =>
			query?.queryKey[1] === at.project &&
			query.queryKey[2] === at.digest &&
			query.queryKey[4].key === asked.key
				? before
				: undefined,
		queryFn: async ({ signal }): Promise<Gaps> =>
			JSON.parse(await gapsText(at, asked, "application/json", signal)),
	});

/** What a badge reads. */
export const badgeQuery = (badge: BadgeOf) =>
	queryOptions({
		queryKey: ["badge", badge],
		staleTime: MINUTE,
		placeholderData: keepPreviousData,
		queryFn: async ({ signal }): Promise<Schemas["Badge"]> => {
			const headers = { accept: "application/json" };
			return JSON.parse(await text(badgePath(badge, "json"), { headers, signal }));
		},
	});

export const supportQuery = (project: string, operators: string, keys: string) =>
	queryOptions({
		queryKey: ["support", project, operators, keys],
		staleTime: MINUTE,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/support", {
					params: { path: { project }, query: { operators, keys } },
					signal,
				}),
			),
	});

/** What a new revision changes for the backend file of a project. */
export const upgradeQuery = (project: string, range: string, backend: string) =>
	queryOptions({
		queryKey: ["upgrade", project, range, backend],
		staleTime: MINUTE,
		queryFn: ({ signal }) =>
			data(
				client.GET("/v1/projects/{project}/compare/{range}/backends/{backend}", {
					params: { path: { project, range, backend } },
					signal,
				}),
			),
	});

/** The report in a media type: for the backend file of a project, or for one that is sent. */
export function upgradeText(
	project: string,
	range: string,
	of: GivenFile | { backend: string },
	accept: string,
	signal: AbortSignal | null = null,
): Promise<string> {
	const path = `/v1/projects/${segment(project)}/compare/${segment(range)}`;
	if ("backend" in of) {
		return text(`${path}/backends/${segment(of.backend)}`, { headers: { accept }, signal });
	}
	const query = new URLSearchParams({ name: of.name || "backend" });
	const headers = { accept, "content-type": "application/yaml" };
	return text(`${path}?${query}`, { method: "POST", headers, body: of.text, signal });
}

/** The same for a backend file that is sent; nothing is stored. */
export const givenUpgradeQuery = (project: string, range: string, file: GivenFile) =>
	queryOptions({
		queryKey: ["upgrade", project, range, file],
		staleTime: MINUTE,
		retry: false,
		queryFn: async ({ signal }): Promise<BackendReport> =>
			JSON.parse(await upgradeText(project, range, file, "application/json", signal)),
	});
