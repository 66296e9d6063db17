import { createRoute } from "@tanstack/react-router";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { runQuery, runsQuery, verdictsQuery } from "../pages/probe/queries";
import { rootRoute } from "./root";

/** Which tests of a run are listed. */
export const AGREES = ["no", "unknown", "yes"] as const;

/** After which page runs are listed, as it stands in the address. */
export interface RunsSearch {
	cursor?: string | undefined;
}

export interface RunSearch extends RunsSearch {
	/** Only tests with this answer; by default those that contradict the verdicts. */
	agrees?: (typeof AGREES)[number] | undefined;
}

export const probeRunsRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/probe",
	validateSearch: (raw: Raw): RunsSearch => ({ cursor: text(raw, "cursor") }),
	loaderDeps: ({ search: { cursor } }) => ({ cursor }),
	loader: (visit) => ahead(visit, runsQuery(visit.params.project, visit.deps.cursor)),
	component: lazyPage(() => import("../pages/probe/ProbeRuns")),
});

export const probeRunRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/probe/$run",
	validateSearch: (raw: Raw): RunSearch => ({
		agrees: oneOf(raw, "agrees", AGREES),
		cursor: text(raw, "cursor"),
	}),
	loaderDeps: ({ search: { agrees, cursor } }) => ({ agrees, cursor }),
	loader: (visit) => {
		const { project, run } = visit.params;
		ahead(visit, runQuery(project, run));
		ahead(visit, verdictsQuery(project, run, visit.deps));
	},
	component: lazyPage(() => import("../pages/probe/ProbeRun")),
});
