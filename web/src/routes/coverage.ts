import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { rootRoute } from "./root";

export const coverageRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/coverage",
	component: lazyPage(() => import("../pages/Coverage")),
});
