import { createRoute } from "@tanstack/react-router";
import { ahead } from "../lib/ahead";
import { ruleQuery, rulesQuery } from "../api/queries";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { rootRoute } from "./root";

export const RULE_KINDS = ["validation", "compatibility"] as const;

/** The filters of the list of rules, as they stand in the address. */
export interface RulesSearch {
	q?: string | undefined;
	kind?: (typeof RULE_KINDS)[number] | undefined;
	/** What the rule is about. */
	family?: string | undefined;
	/** A severity, or a level. */
	weight?: string | undefined;
}

export const rulesRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/rules",
	validateSearch: (raw: Raw): RulesSearch => ({
		q: text(raw, "q"),
		kind: oneOf(raw, "kind", RULE_KINDS),
		family: text(raw, "family"),
		weight: text(raw, "weight"),
	}),
	loader: (visit) => ahead(visit, rulesQuery),
	component: lazyPage(() => import("../pages/rules/Rules")),
});

export const ruleRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/rules/$rule",
	loader: (visit) => ahead(visit, ruleQuery(visit.params.rule)),
	component: lazyPage(() => import("../pages/rules/Rule")),
});
