import type { FetchQueryOptions, QueryKey } from "@tanstack/react-query";
import { queryClient } from "../api/queries";

/** What a route is loaded for: a visit, or only because one points at a link to it. */
interface Visit {
	preload: boolean;
}

/**
 * Asks for what a page shows while the part of the program that draws it is still on its way. The
 * page waits with the same query, and tells what it failed with. Nothing is asked for where one only
 * points at a link: a comparison may cost the server a while.
 */
export function ahead<T, K extends QueryKey>(
	{ preload }: Visit,
	query: FetchQueryOptions<T, Error, T, K>,
): void {
	if (!preload) void queryClient.ensureQueryData(query).catch(() => undefined);
}
