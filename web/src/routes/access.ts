import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { rootRoute } from "./root";

export const accessRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/access",
	component: lazyPage(() => import("../pages/access/Access")),
});
