import { createRoute } from "@tanstack/react-router";
import { GROUPS, type Group, TURNS, type Turn } from "../lib/comparison";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { FAIL_ON, type FailOn, PROFILES, type Profile } from "../lib/levels";
import { oneOf, type Raw, text } from "../lib/search";
import { comparisonQuery } from "../pages/compare/queries";
import { rootRoute } from "./root";

/** What is shown of a comparison, as it stands in the address. */
export interface ComparisonSearch {
	/** Profile. */
	profile?: Profile | undefined;
	/** The least level that fails. */
	fail_on?: FailOn | undefined;
	level?: Group | undefined;
	audience?: string | undefined;
	/** A dispatch key. */
	backend?: string | undefined;
	namespace?: string | undefined;
	q?: string | undefined;
	/** The changes by operator, or the dispatch tables, instead of the review by cause. */
	view?: "operators" | "dispatch" | undefined;
	/** What became of a key's support. */
	turn?: Turn | undefined;
	/** The column that the table of keys is sorted by, with `-` before it if the largest is first. */
	sort?: string | undefined;
}

export function comparisonSearch(raw: Raw): ComparisonSearch {
	return {
		profile: oneOf(raw, "profile", PROFILES),
		fail_on: oneOf(raw, "fail_on", FAIL_ON),
		level: oneOf(raw, "level", GROUPS),
		audience: text(raw, "audience"),
		backend: text(raw, "backend"),
		namespace: text(raw, "namespace"),
		q: text(raw, "q"),
		view: oneOf(raw, "view", ["operators", "dispatch"] as const),
		turn: TURNS.find(({ id }) => id === raw.turn)?.id,
		sort: text(raw, "sort"),
	};
}

/** Two revisions to choose, or two files to paste. */
export interface CompareSearch extends ComparisonSearch {
	project?: string | undefined;
	/** The rule whose two sides to begin with. */
	rule?: string | undefined;
	/** Files are pasted instead of revisions chosen; what they hold stands in the fragment. */
	from?: "files" | undefined;
	/** The release whose rules apply to pasted files; the newest where it is left out. */
	release?: string | undefined;
}

export const compareRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/compare",
	validateSearch: (raw: Raw): CompareSearch => ({
		...comparisonSearch(raw),
		project: text(raw, "project"),
		rule: text(raw, "rule"),
		from: oneOf(raw, "from", ["files"] as const),
		release: text(raw, "release"),
	}),
	component: lazyPage(() => import("../pages/compare/Choose")),
});

export const comparisonRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/compare/$range",
	validateSearch: comparisonSearch,
	loaderDeps: ({ search: { profile, fail_on } }) => ({ profile, fail_on }),
	loader: (visit) =>
		ahead(visit, comparisonQuery(visit.params.project, visit.params.range, visit.deps)),
	component: lazyPage(() => import("../pages/compare/Compare")),
});
