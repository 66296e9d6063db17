import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { rootRoute } from "./root";

export const homeRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/",
	component: lazyPage(() => import("../pages/Home")),
});
