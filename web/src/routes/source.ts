import { createRoute } from "@tanstack/react-router";
import { fileQuery } from "../api/queries";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { revisionRoute } from "./revision";

export const SEVERITIES = ["error", "warning", "info"] as const;

/** What of a file's findings is marked; the line in view stands in the fragment, `#L12`. */
export interface SourceSearch {
	severity?: (typeof SEVERITIES)[number] | undefined;
	rule?: string | undefined;
	/** What is looked for in the file. */
	q?: string | undefined;
	/** The operator at whose entry to begin. */
	operator?: string | undefined;
}

export const sourceRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/files/$file",
	validateSearch: (raw: Raw): SourceSearch => ({
		severity: oneOf(raw, "severity", SEVERITIES),
		rule: text(raw, "rule"),
		q: text(raw, "q"),
		operator: text(raw, "operator"),
	}),
	loader: (visit) => ahead(visit, fileQuery(visit.context.at, visit.params.file)),
	component: lazyPage(() => import("../pages/source/Source")),
});
