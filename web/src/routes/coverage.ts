import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "./root";

export const coverageRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/coverage",
	component: lazyRouteComponent(() => import("../pages/Coverage")),
});
