import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { GENERATED } from "./operators";
import { revisionRoute } from "./revision";

export const STANDINGS = ["direct", "inherited", "missing", "unknown"] as const;

/** What of a key is shown, as it stands in the address. */
export interface BackendSearch {
	show?: (typeof STANDINGS)[number] | undefined;
	q?: string | undefined;
	generated?: (typeof GENERATED)[number] | undefined;
	/** The revision to compare with. */
	against?: string | undefined;
}

export const backendRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/backends/$key",
	validateSearch: (raw: Raw): BackendSearch => ({
		show: oneOf(raw, "show", STANDINGS),
		q: text(raw, "q"),
		generated: oneOf(raw, "generated", GENERATED),
		against: text(raw, "against"),
	}),
	component: lazyPage(() => import("../pages/backends/Backend")),
});
