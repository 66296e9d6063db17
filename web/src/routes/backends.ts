import { createRoute } from "@tanstack/react-router";
import { matrixQuery } from "../api/queries";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { isReason, type ReasonName } from "../lib/reasons";
import { oneOf, type Raw, text } from "../lib/search";
import { GENERATED, KINDS } from "./operators";
import { revisionRoute } from "./revision";

export const ROW_ORDERS = ["file", "name", "most", "least"] as const;
export const COLUMN_ORDERS = ["table", "most", "least"] as const;

/** What of the matrix is shown, as it stands in the address. */
export interface BackendsSearch {
	/** Whether the columns are the ways to run operators instead of keys. */
	show?: "ways" | undefined;
	q?: string | undefined;
	namespace?: string | undefined;
	kind?: (typeof KINDS)[number] | undefined;
	tag?: string | undefined;
	generated?: (typeof GENERATED)[number] | undefined;
	/** With `reason`: only operators that have it at this key. */
	key?: string | undefined;
	reason?: ReasonName | undefined;
	/** The functionality whose keys are the columns; `all` for every key; by default `Dense`. */
	columns?: string | undefined;
	/** Whether keys about which nothing is known are columns too. */
	unknown?: "show" | undefined;
	rows?: (typeof ROW_ORDERS)[number] | undefined;
	order?: (typeof COLUMN_ORDERS)[number] | undefined;
	/** Only operators with a fate on a way; without `fate`, those that nothing of their own serves. */
	way?: string | undefined;
	fate?: string | undefined;
	/** The cell that is explained: operator and key or way, apart by a comma. */
	cell?: string | undefined;
}

export const backendsRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/backends",
	validateSearch: (raw: Raw): BackendsSearch => {
		const reason = text(raw, "reason");
		return {
			show: oneOf(raw, "show", ["ways"] as const),
			q: text(raw, "q"),
			namespace: text(raw, "namespace"),
			kind: oneOf(raw, "kind", KINDS),
			tag: text(raw, "tag"),
			generated: oneOf(raw, "generated", GENERATED),
			key: text(raw, "key"),
			reason: reason !== undefined && isReason(reason) ? reason : undefined,
			columns: text(raw, "columns"),
			unknown: oneOf(raw, "unknown", ["show"] as const),
			rows: oneOf(raw, "rows", ROW_ORDERS),
			order: oneOf(raw, "order", COLUMN_ORDERS),
			way: text(raw, "way"),
			fate: text(raw, "fate"),
			cell: text(raw, "cell"),
		};
	},
	loader: (visit) => ahead(visit, matrixQuery(visit.context.at)),
	component: lazyPage(() => import("../pages/backends/Backends")),
});
