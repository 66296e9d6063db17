import { createRoute, redirect } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { type Raw, text } from "../lib/search";
import { projectPath, revisionPath, segment } from "../nav";
import { rootRoute } from "./root";

/** Which revisions of a project are listed, as it stands in the address. */
export interface ProjectSearch {
	/** Words that their names have. */
	q?: string | undefined;
	/** After which page they are listed. */
	cursor?: string | undefined;
}

export const projectRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project",
	validateSearch: (raw: Raw): ProjectSearch => ({
		q: text(raw, "q"),
		cursor: text(raw, "cursor"),
	}),
	component: lazyPage(() => import("../pages/project/Project")),
});

const leading = <T extends string>(path: T, to: (project: string, name: string) => string) =>
	createRoute({
		getParentRoute: () => rootRoute,
		path,
		beforeLoad: ({ params }) => {
			const { project = "", operator = "" } = params as { project?: string; operator?: string };
			throw redirect({ href: to(project, operator), replace: true });
		},
	});

const latest = (project: string, rest: string) => revisionPath({ project, rev: "latest" }, rest);

/** Parts of addresses that are no views lead to the nearest one. */
export const allProjectsRoute = leading("/p", () => "/");
export const allRevisionsRoute = leading("/p/$project/r", (project) => projectPath(project));
export const allComparisonsRoute = leading(
	"/p/$project/compare",
	(project) => `/compare?project=${segment(project)}`,
);
export const allOperatorsRoute = leading("/p/$project/operators", (project) =>
	latest(project, "/operators"),
);
export const anyOperatorRoute = leading("/p/$project/operators/$operator", (project, operator) =>
	latest(project, `/operators/${segment(operator)}`),
);
