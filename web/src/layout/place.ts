import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useParams } from "@tanstack/react-router";
import { type Place, projectsQuery } from "../api/queries";

const revision = getRouteApi("/p/$project/r/$rev");

/** The revision that a view is of. */
export function usePlace(): Place {
	return revision.useParams();
}

/**
 * The revision that the header and the search go to: that of the view, else the last of its
 * project, or of the first there is.
 */
export function useNearestPlace(): Place | undefined {
	const params: { project?: string; rev?: string } = useParams({ strict: false });
	const projects = useQuery({ ...projectsQuery, enabled: !params.project });
	if (params.project && params.rev) return { project: params.project, rev: params.rev };
	if (params.project) return { project: params.project, rev: "latest" };
	const first = projects.data?.[0];
	return first && { project: first.name, rev: "latest" };
}
