import { createRoute } from "@tanstack/react-router";
import { matrixQuery } from "../api/queries";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { isReason, type ReasonName } from "../lib/reasons";
import { flag, oneOf, type Raw, text } from "../lib/search";
import { revisionRoute } from "./revision";

export const KINDS = ["functional", "inplace", "out", "mutable", "scratch"] as const;
export const GENERATED = ["include", "only", "exclude"] as const;

/** The filters of the list of operators, as they stand in the address. */
export interface OperatorsSearch {
	q?: string | undefined;
	namespace?: string | undefined;
	kind?: (typeof KINDS)[number] | undefined;
	tag?: string | undefined;
	structured?: boolean | undefined;
	generated?: (typeof GENERATED)[number] | undefined;
	python_module?: string | undefined;
	key?: string | undefined;
	reason?: ReasonName | undefined;
}

export function operatorsSearch(raw: Raw): OperatorsSearch {
	const reason = text(raw, "reason");
	return {
		q: text(raw, "q"),
		namespace: text(raw, "namespace"),
		kind: oneOf(raw, "kind", KINDS),
		tag: text(raw, "tag"),
		structured: flag(raw, "structured"),
		generated: oneOf(raw, "generated", GENERATED),
		python_module: text(raw, "python_module"),
		key: text(raw, "key"),
		reason: reason !== undefined && isReason(reason) ? reason : undefined,
	};
}

export const operatorsRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/operators",
	validateSearch: operatorsSearch,
	loader: (visit) => ahead(visit, matrixQuery(visit.context.at)),
	component: lazyPage(() => import("../pages/Operators")),
});
