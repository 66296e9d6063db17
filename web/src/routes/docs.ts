import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { type Raw, text } from "../lib/search";
import { rootRoute } from "./root";

export interface DocsSearch {
	/** Words that operations must have. */
	q?: string | undefined;
	/** The operation that is open, by its id. */
	op?: string | undefined;
}

export const docsRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/docs",
	validateSearch: (raw: Raw): DocsSearch => ({ q: text(raw, "q"), op: text(raw, "op") }),
	component: lazyPage(() => import("../pages/docs/Docs")),
});
