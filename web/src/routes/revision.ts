import { createRoute } from "@tanstack/react-router";
import { RevisionFrame } from "../layout/RevisionFrame";
import { lazyPage } from "../lib/lazyPage";
import { rootRoute } from "./root";

/** What all views of a revision lie in. */
export const revisionRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/r/$rev",
	component: RevisionFrame,
});

/** The revision itself. */
export const summaryRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/",
	component: lazyPage(() => import("../pages/Revision")),
});
