import { createRoute } from "@tanstack/react-router";
import { projectsQuery } from "../api/queries";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { rootRoute } from "./root";

export const homeRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/",
	loader: (visit) => ahead(visit, projectsQuery),
	component: lazyPage(() => import("../pages/Home")),
});
