import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useParams, useRouterState } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import {
	accessQuery,
	type At,
	canRead,
	type Place,
	projectsQuery,
	revisionQuery,
} from "../api/queries";
import { currentToken } from "../api/token";
import { keepProject, lastProject, preferred } from "../lib/projects";
import { atOf } from "../lib/revisions";

const revision = getRouteApi("/p/$project/r/$rev");

/** The revision that a view is of. */
export function usePlace(): At {
	return revision.useRouteContext({ select: ({ at }) => at });
}

/** The revision that a place means; it is asked for where a place is given. */
export function useAt(place: Place | undefined) {
	const query = useQuery({
		...revisionQuery(place ?? { project: "", rev: "" }),
		enabled: place !== undefined,
	});
	const { data, error, isLoading } = query;
	const project = place?.project;
	const rev = place?.rev;
	const at = useMemo(() => {
		if (project === undefined || rev === undefined || !data) return undefined;
		return atOf({ project, rev }, data);
	}, [project, rev, data]);
	return { at, error, isLoading, refetch: query.refetch };
}

/**
 * Whether the list of projects may be asked for. The page about access is there for those who may
 * not read yet; every other page would be refused as a whole.
 */
function useMayAsk(): boolean {
	const isAccess = useRouterState({ select: ({ location }) => location.pathname === "/access" });
	const access = useQuery({
		...accessQuery(currentToken() !== undefined, undefined),
		enabled: isAccess,
	});
	return !isAccess || (access.data !== undefined && canRead(access.data));
}

/**
 * The revision that the header and the search go to: that of the view, else the last of its
 * project, else the last of the project that was last looked at, or of the one to begin with.
 */
export function useNearestPlace(): Place | undefined {
	const params: { project?: string; rev?: string } = useParams({ strict: false });
	const { project } = params;
	const isAsked = useMayAsk();
	const projects = useQuery({ ...projectsQuery, enabled: !project && isAsked });
	useEffect(() => {
		if (project) keepProject(project);
	}, [project]);
	if (project) return { project, rev: params.rev ?? "latest" };
	const nearest = projects.data && preferred(projects.data, lastProject());
	return nearest === undefined ? undefined : { project: nearest, rev: "latest" };
}
