import type { Place } from "./api/queries";

/** The file that operators are declared in. */
export const DECLARATIONS = "native_functions.yaml";

/** A place that the header and `g` with a letter go to. */
export interface NavItem {
	label: string;
	/** The letter after `g`. */
	key: string;
	/** Its path; those that need a revision get one, or nothing where nothing is stored yet. */
	to: (place: Place | undefined) => string | undefined;
	/** What is on it, for the search. */
	note: string;
	/** Whether a path belongs to it. */
	owns: (path: string) => boolean;
	/** Whether the server serves it, and not this page. */
	outside?: boolean;
}

/** The path of a view of a revision. */
export function revisionPath({ project, rev }: Place, rest = ""): string {
	return `/p/${segment(project)}/r/${segment(rev)}${rest}`;
}

/** A part of a path; colons may stay, which names of operators and digests have. */
export function segment(text: string): string {
	return encodeURIComponent(text).replaceAll("%3A", ":");
}

export const operatorPath = (place: Place, operator: string): string =>
	revisionPath(place, `/operators/${segment(operator)}`);

/** What the operators of a base name have in common. */
export const namePath = (place: Place, name: string): string =>
	revisionPath(place, `/names/${segment(name)}`);

export const keyPath = (place: Place, key: string): string =>
	revisionPath(place, `/backends/${segment(key)}`);

/** What a message means; the message is the fragment. */
export const WHY = "/why";

/** The page of a topic. */
export const topicPath = (topic: string): string => `/topics/${segment(topic)}`;

/** Where a rule is told of. */
export const rulePath = (rule: string): string => `/rules/${segment(rule)}`;

/** The comparison of two revisions of a project. */
export const comparePath = (project: string, base: string, head: string): string =>
	`/p/${segment(project)}/compare/${segment(base)}...${segment(head)}`;

/** The parameters of a comparison's address. */
export const rangeParams = (project: string, base: string, head: string) => ({
	project,
	range: `${base}...${head}`,
});

/** A project, or a view over all its revisions. */
export const projectPath = (project: string, rest = ""): string =>
	`/p/${segment(project)}${rest === "" ? "" : `/${rest}`}`;

/** The history of an operator. */
export const historyPath = (project: string, operator: string): string =>
	projectPath(project, `operators/${segment(operator)}/history`);

/** A file of a revision; a line of it has the fragment `L` and its number. */
export const filePath = (place: Place, file: string): string =>
	revisionPath(place, `/files/${segment(file)}`);

/** The tabs of a key's page, by the last part of their addresses. */
export const BACKEND_TABS = [
	{ tab: "", label: "Coverage" },
	{ tab: "kernels", label: "Kernels" },
	{ tab: "gaps", label: "Gaps" },
	{ tab: "leverage", label: "Leverage" },
	{ tab: "upgrade", label: "Upgrade" },
	{ tab: "history", label: "History" },
	{ tab: "badge", label: "Badge" },
] as const;
export type BackendTab = (typeof BACKEND_TABS)[number]["tab"];

/** A tab of a key's page. */
export const backendPath = (place: Place, key: string, tab: BackendTab): string =>
	keyPath(place, key) + (tab === "" ? "" : `/${tab}`);

const over = (part: string) => (path: string) => new RegExp(`^/p/[^/]+/${part}$`).test(path);

const under = (part: string) => (path: string) =>
	new RegExp(`^/p/[^/]+/r/[^/]+/${part}(/|$)`).test(path);

/** The views, in their order. Whoever adds one adds it here. */
export const NAV: readonly NavItem[] = [
	{
		label: "Home",
		key: "h",
		note: "projects and their revisions",
		to: () => "/",
		owns: (path) => path === "/",
	},
	{
		label: "Operators",
		key: "o",
		note: "all operators of the revision",
		to: (place) => place && revisionPath(place, "/operators"),
		owns: under("(operators|names)"),
	},
	{
		label: "Backends",
		key: "b",
		note: "operators by backend: the matrix",
		to: (place) => place && revisionPath(place, "/backends"),
		owns: under("backends"),
	},
	{
		label: "Compare",
		key: "c",
		note: "what changed between two revisions",
		to: () => "/compare",
		owns: (path) => path === "/compare" || /^\/p\/[^/]+\/compare\//.test(path),
	},
	{
		label: "Trends",
		key: "n",
		note: "operators and coverage over time",
		to: (place) => place && projectPath(place.project, "trends"),
		owns: over("trends"),
	},
	{
		label: "Support",
		key: "s",
		note: "since when backends support operators",
		to: (place) => place && projectPath(place.project, "support"),
		owns: over("support"),
	},
	{
		label: "Upgrade",
		key: "u",
		note: "what a new revision changes for a backend",
		to: (place) => place && projectPath(place.project, "upgrade"),
		owns: over("upgrade"),
	},
	{
		label: "Preflight",
		key: "p",
		note: "whether a model runs on backends",
		to: (place) => place && projectPath(place.project, "preflight"),
		owns: over("preflight"),
	},
	{ label: "Why", key: "w", note: "what an error message means", to: () => WHY, owns: (path) => path === WHY },
	{ label: "Validate", key: "v", note: "check an entry while you type it", to: () => "/validate", owns: (path) => path === "/validate" },
	{ label: "Rules", key: "r", note: "what is checked", to: () => "/rules", owns: (path) => /^\/rules(\/|$)/.test(path) },
	{
		label: "Topics",
		key: "k",
		note: "what keys, fields, types and annotations mean",
		to: () => "/topics",
		owns: (path) => /^\/topics(\/|$)/.test(path),
	},
	{ label: "API", key: "a", note: "the HTTP API", to: () => "/docs", owns: (path) => path === "/docs" },
	{ label: "Access", key: "t", note: "token of this browser", to: () => "/access", owns: (path) => path === "/access" },
];

/** A view that other pages and the search lead to, and the header does not. */
interface OtherPage {
	label: string;
	/** What is on it, for the search. */
	note: string;
	to: (place: Place | undefined) => string | undefined;
	outside?: boolean;
}

export const PAGES: readonly OtherPage[] = [
	{
		label: "Revision",
		note: "files and findings of the revision",
		to: (place) => place && revisionPath(place),
	},
	{
		label: "Search all revisions",
		note: "operators by name, argument, type or kernel, removed ones too",
		to: (place) => place && projectPath(place.project, "search"),
	},
	{ label: "Coverage", note: "what figures of coverage count", to: () => "/coverage" },
];
