import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { type Place, projectsQuery } from "../api/queries";
import { keepProject, lastProject, preferred } from "../lib/projects";

const revision = getRouteApi("/p/$project/r/$rev");

/** The revision that a view is of. */
export function usePlace(): Place {
	return revision.useParams();
}

/**
 * The revision that the header and the search go to: that of the view, else the last of its
 * project, else the last of the project that was last looked at, or of the one to begin with.
 */
export function useNearestPlace(): Place | undefined {
	const params: { project?: string; rev?: string } = useParams({ strict: false });
	const { project } = params;
	const projects = useQuery({ ...projectsQuery, enabled: !project });
	useEffect(() => {
		if (project) keepProject(project);
	}, [project]);
	if (project) return { project, rev: params.rev ?? "latest" };
	const nearest = projects.data && preferred(projects.data, lastProject());
	return nearest === undefined ? undefined : { project: nearest, rev: "latest" };
}
