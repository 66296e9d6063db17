import { createRoute, redirect } from "@tanstack/react-router";
import { matrixQuery } from "../api/queries";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, stringify, text } from "../lib/search";
import { type Verdict, VERDICTS } from "../lib/verdicts";
import { backendPath } from "../nav";
import { GENERATED, KINDS } from "./operators";
import { revisionRoute } from "./revision";

export const STANDINGS = ["direct", "inherited", "missing", "unknown", "other"] as const;

/** A key of a revision: its tabs lie in it, each with an address. */
export const backendRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/backends/$key",
	loader: (visit) => ahead(visit, matrixQuery(visit.context.at)),
	component: lazyPage(() => import("../pages/backends/Backend")),
});

/** Which operators of a key are listed, as it stands in the address. */
export interface KernelsSearch {
	show?: (typeof STANDINGS)[number] | undefined;
	verdict?: Verdict["name"] | undefined;
	q?: string | undefined;
	generated?: (typeof GENERATED)[number] | undefined;
}

const kernelsSearch = (raw: Raw): KernelsSearch => ({
	show: oneOf(raw, "show", STANDINGS),
	verdict: VERDICTS.find(({ name }) => name === raw.verdict)?.name,
	q: text(raw, "q"),
	generated: oneOf(raw, "generated", GENERATED),
});

/** With which revision a key is compared. */
export interface ChangesSearch {
	against?: string | undefined;
}

const changesSearch = (raw: Raw): ChangesSearch => ({ against: text(raw, "against") });

interface Sorted {
	/** The column that tables are sorted by, with `-` before it if the largest is first. */
	sort?: string | undefined;
}

/** What works, in figures. Addresses from when all was on one page lead to where it is now. */
export const coverageTab = createRoute({
	getParentRoute: () => backendRoute,
	path: "/",
	validateSearch: (raw: Raw): KernelsSearch & ChangesSearch & Sorted => ({
		...kernelsSearch(raw),
		...changesSearch(raw),
		sort: text(raw, "sort"),
	}),
	beforeLoad: ({ context: { at }, params: { key }, search }) => {
		const { against, sort: _, ...listed } = search;
		const tab = against ? "upgrade" : stringify({ ...listed }) !== "" ? "kernels" : undefined;
		if (tab === undefined) return;
		const query = stringify(against ? { against } : { ...listed });
		throw redirect({ href: backendPath(at, key, tab) + query, replace: true });
	},
	component: lazyPage(() => import("../pages/backends/CoverageTab")),
});

export const kernelsTab = createRoute({
	getParentRoute: () => backendRoute,
	path: "/kernels",
	validateSearch: kernelsSearch,
	component: lazyPage(() => import("../pages/backends/KernelsTab")),
});

export const GAP_KINDS = ["lacking", "inherited", "unknown"] as const;

export interface GapsSearch {
	/** The revision since which to tell what came in. */
	since?: string | undefined;
	only?: (typeof GAP_KINDS)[number] | undefined;
	tag?: string | undefined;
	/** The kind of operator. */
	kind?: (typeof KINDS)[number] | undefined;
	python_module?: string | undefined;
	namespace?: string | undefined;
	/** Only operators that came after `since`. */
	added?: "new" | undefined;
	q?: string | undefined;
}

export const gapsTab = createRoute({
	getParentRoute: () => backendRoute,
	path: "/gaps",
	validateSearch: (raw: Raw): GapsSearch => ({
		since: text(raw, "since"),
		only: oneOf(raw, "only", GAP_KINDS),
		tag: text(raw, "tag"),
		kind: oneOf(raw, "kind", KINDS),
		python_module: text(raw, "python_module"),
		namespace: text(raw, "namespace"),
		added: oneOf(raw, "added", ["new"] as const),
		q: text(raw, "q"),
	}),
	component: lazyPage(() => import("../pages/backends/GapsTab")),
});

export const leverageTab = createRoute({
	getParentRoute: () => backendRoute,
	path: "/leverage",
	component: lazyPage(() => import("../pages/backends/LeverageTab")),
});

export const changesTab = createRoute({
	getParentRoute: () => backendRoute,
	path: "/upgrade",
	validateSearch: changesSearch,
	component: lazyPage(() => import("../pages/backends/ChangesTab")),
});

export const historyTab = createRoute({
	getParentRoute: () => backendRoute,
	path: "/history",
	component: lazyPage(() => import("../pages/backends/HistoryTab")),
});

export interface BadgeSearch {
	/** What the badge counts, and which revision it is of. */
	badge?: "kernel" | undefined;
	badge_at?: "latest" | undefined;
}

const BADGE_PARAMETERS: ReadonlySet<string> = new Set(["badge", "badge_at"]);

export const badgeTab = createRoute({
	getParentRoute: () => backendRoute,
	path: "/badge",
	validateSearch: (raw: Raw): BadgeSearch => ({
		badge: oneOf(raw, "badge", ["kernel"] as const),
		badge_at: oneOf(raw, "badge_at", ["latest"] as const),
	}),
	component: lazyPage(() => import("../pages/backends/BadgeTab")),
});

/** Where gap lists were, with leverage and badge, before they were tabs. */
export const formerGapsRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/gaps/$key",
	beforeLoad: ({ context: { at }, params: { key }, search, location: { hash } }) => {
		const asked = Object.keys(search);
		const isBadge = asked.length > 0 && asked.every((name) => BADGE_PARAMETERS.has(name));
		const tab = hash === "leverage" ? "leverage" : hash === "badge" || isBadge ? "badge" : "gaps";
		throw redirect({ href: backendPath(at, key, tab) + stringify(search), replace: true });
	},
});
