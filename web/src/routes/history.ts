import { createRoute } from "@tanstack/react-router";
import { type EventKind, KIND_NAMES } from "../lib/history";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { historyQuery, trendsQuery } from "../pages/history/queries";
import { rootRoute } from "./root";

/** Which part of an operator's history is shown, as it stands in the address. */
export interface HistorySearch {
	/** Only what is about this key, and what is not about keys. */
	key?: string | undefined;
	kind?: EventKind | undefined;
	/** The revisions that it begins and ends with. */
	from?: string | undefined;
	to?: string | undefined;
}

export const operatorHistoryRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/operators/$operator/history",
	validateSearch: (raw: Raw): HistorySearch => ({
		key: text(raw, "key"),
		kind: oneOf(raw, "kind", KIND_NAMES),
		from: text(raw, "from"),
		to: text(raw, "to"),
	}),
	loaderDeps: ({ search: { key, from, to } }) => ({ key, from, to }),
	loader: (visit) =>
		ahead(visit, historyQuery(visit.params.project, visit.params.operator, visit.deps)),
	component: lazyPage(() => import("../pages/history/OperatorHistory")),
});

/** What a backend's coverage counts. */
export const COUNTED = ["served", "partly", "fails", "unknown", "kernels"] as const;

export interface TrendsSearch {
	from?: string | undefined;
	to?: string | undefined;
	/** The backends that are drawn: a comma list. */
	keys?: string | undefined;
	of?: (typeof COUNTED)[number] | undefined;
	/** The way whose fates are drawn. */
	way?: string | undefined;
}

export const trendsRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/trends",
	validateSearch: (raw: Raw): TrendsSearch => ({
		from: text(raw, "from"),
		to: text(raw, "to"),
		keys: text(raw, "keys"),
		of: oneOf(raw, "of", COUNTED),
		way: text(raw, "way"),
	}),
	loaderDeps: ({ search: { from, to } }) => ({ from, to }),
	loader: (visit) => ahead(visit, trendsQuery(visit.params.project, visit.deps)),
	component: lazyPage(() => import("../pages/history/Trends")),
});

/** Which operators on which backends: comma lists. */
export interface SupportSearch {
	operators?: string | undefined;
	keys?: string | undefined;
}

export const supportRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/support",
	validateSearch: (raw: Raw): SupportSearch => ({
		operators: text(raw, "operators"),
		keys: text(raw, "keys"),
	}),
	component: lazyPage(() => import("../pages/history/Support")),
});

export interface UpgradeSearch {
	base?: string | undefined;
	head?: string | undefined;
	/** The project that has the backend file; without it one is pasted. */
	backend?: string | undefined;
}

export const upgradeRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/upgrade",
	validateSearch: (raw: Raw): UpgradeSearch => ({
		base: text(raw, "base"),
		head: text(raw, "head"),
		backend: text(raw, "backend"),
	}),
	component: lazyPage(() => import("../pages/history/Upgrade")),
});

export const searchRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/search",
	validateSearch: (raw: Raw): { q?: string | undefined } => ({ q: text(raw, "q") }),
	component: lazyPage(() => import("../pages/history/Search")),
});
