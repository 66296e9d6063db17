import { createRoute } from "@tanstack/react-router";
import { operatorQuery, signaturesQuery, tableQuery, waysQuery } from "../api/queries";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { revisionRoute } from "./revision";

/** What is open on an operator's page, as it stands in the address. */
export interface OperatorSearch {
	/** The key whose entry is explained. */
	key?: string | undefined;
	/** Registrations to add: a comma list of `KEY` or `KEY:kernel`. */
	with?: string | undefined;
	/** Registrations to take away: a comma list of keys. */
	without?: string | undefined;
	build?: string | undefined;
	source?: "files" | undefined;
	table?: "grid" | undefined;
	/** The key that the operator is to be implemented for. */
	implement?: string | undefined;
}

export const operatorRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/operators/$operator",
	validateSearch: (raw: Raw): OperatorSearch => ({
		key: text(raw, "key"),
		with: text(raw, "with"),
		without: text(raw, "without"),
		build: text(raw, "build"),
		source: oneOf(raw, "source", ["files"] as const),
		table: oneOf(raw, "table", ["grid"] as const),
		implement: text(raw, "implement"),
	}),
	loaderDeps: ({ search: { key, build, source } }) => ({ key, build, source }),
	loader: (visit) => {
		const { operator } = visit.params;
		const { at } = visit.context;
		const { key, ...tables } = visit.deps;
		ahead(visit, tableQuery(at, operator, tables));
		if (key) ahead(visit, tableQuery(at, operator, { ...tables, key, explain: true }));
		ahead(visit, operatorQuery(at, operator));
		ahead(visit, waysQuery(at, operator));
		ahead(visit, signaturesQuery(at, operator));
	},
	component: lazyPage(() => import("../pages/operator/OperatorView")),
});
