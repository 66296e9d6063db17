import { createRootRoute } from "@tanstack/react-router";
import { Shell } from "../layout/Shell";

export const rootRoute = createRootRoute({ component: Shell });
