import type { Place } from "./api/queries";

/** A place that the header and `g` with a letter go to. */
export interface NavItem {
	label: string;
	/** The letter after `g`. */
	key: string;
	/** Its path; those that need a revision get one, or nothing where nothing is stored yet. */
	to: (place: Place | undefined) => string | undefined;
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

export const keyPath = (place: Place, key: string): string =>
	revisionPath(place, `/backends/${segment(key)}`);

/** The page of a topic. */
export const topicPath = (topic: string): string => `/topics/${segment(topic)}`;

/** Where a rule is told of. */
export const rulePath = (rule: string): string => `/rules/${segment(rule)}`;

/** The comparison of two revisions of a project. */
export const comparePath = (project: string, base: string, head: string): string =>
	`/p/${segment(project)}/compare/${segment(base)}...${segment(head)}`;

/** A view over all revisions of a project. */
export const projectPath = (project: string, rest: string): string =>
	`/p/${segment(project)}/${rest}`;

/** The history of an operator. */
export const historyPath = (project: string, operator: string): string =>
	projectPath(project, `operators/${segment(operator)}/history`);

/** A file of a revision; a line of it has the fragment `L` and its number. */
export const filePath = (place: Place, file: string): string =>
	revisionPath(place, `/files/${segment(file)}`);

/** What a backend lacks. */
export const gapsPath = (place: Place, key: string): string =>
	revisionPath(place, `/gaps/${segment(key)}`);

const over = (part: string) => (path: string) => new RegExp(`^/p/[^/]+/${part}$`).test(path);

const under = (part: string) => (path: string) =>
	new RegExp(`^/p/[^/]+/r/[^/]+/${part}(/|$)`).test(path);

/** The views, in their order. Whoever adds one adds it here. */
export const NAV: readonly NavItem[] = [
	{ label: "Home", key: "h", to: () => "/", owns: (path) => path === "/" },
	{
		label: "Operators",
		key: "o",
		to: (place) => place && revisionPath(place, "/operators"),
		owns: under("operators"),
	},
	{
		label: "Backends",
		key: "b",
		to: (place) => place && revisionPath(place, "/backends"),
		owns: under("backends"),
	},
	{
		label: "Compare",
		key: "c",
		to: () => "/compare",
		owns: (path) => path === "/compare" || /^\/p\/[^/]+\/compare\//.test(path),
	},
	{
		label: "Trends",
		key: "n",
		to: (place) => place && projectPath(place.project, "trends"),
		owns: over("trends"),
	},
	{
		label: "Support",
		key: "s",
		to: (place) => place && projectPath(place.project, "support"),
		owns: over("support"),
	},
	{
		label: "Upgrade",
		key: "u",
		to: (place) => place && projectPath(place.project, "upgrade"),
		owns: over("upgrade"),
	},
	{ label: "Validate", key: "v", to: () => "/validate", owns: (path) => path === "/validate" },
	{ label: "Rules", key: "r", to: () => "/rules", owns: (path) => /^\/rules(\/|$)/.test(path) },
	{
		label: "Topics",
		key: "k",
		to: () => "/topics",
		owns: (path) => /^\/topics(\/|$)/.test(path),
	},
	{ label: "API", key: "a", to: () => "/docs", owns: (path) => path === "/docs" },
	{ label: "Access", key: "t", to: () => "/access", owns: (path) => path === "/access" },
];
