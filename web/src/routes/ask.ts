import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { flag, type Raw, text } from "../lib/search";
import { rootRoute } from "./root";

/** The message itself stands in the fragment, which browsers send to nobody. */
export const whyRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/why",
	component: lazyPage(() => import("../pages/ask/Why")),
});

export interface PreflightSearch {
	/** The backends: a comma list. */
	backend?: string | undefined;
	/** The revision that the model should run on. */
	rev?: string | undefined;
	training?: boolean | undefined;
}

/** A list of operators stands in the fragment; an archive is only in the page. */
export const preflightRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/preflight",
	validateSearch: (raw: Raw): PreflightSearch => ({
		backend: text(raw, "backend"),
		rev: text(raw, "rev"),
		training: flag(raw, "training"),
	}),
	component: lazyPage(() => import("../pages/ask/Preflight")),
});
