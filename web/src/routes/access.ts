import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "./root";

export const accessRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/access",
	component: lazyRouteComponent(() => import("../pages/access/Access")),
});
