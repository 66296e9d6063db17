import { queryOptions } from "@tanstack/react-query";
import { client, data } from "../../api/client";
import type { At } from "../../api/queries";
import type { Outcomes } from "../../lib/coverage";
import { placeAddress } from "../../lib/history";
import type { TrendPoint } from "../../lib/trends";

/** Revisions come and labels move. */
const MINUTE = 60_000;

/** The outcomes of each backend in a revision and in the one before it on the timeline. */
export const sinceQuery = ({ project, rev }: At) =>
	queryOptions({
		queryKey: ["since", project, rev],
		staleTime: MINUTE,
		queryFn: async ({ signal }) => {
			const asked = (query: { from?: string; to: string; coverage?: boolean }) =>
				client.GET("/v1/projects/{project}/trends", {
					params: { path: { project }, query: { points: 2, ...query } },
					signal,
				});
			const { points } = await data(asked({ to: rev, coverage: false }));
			const since = points.at(-1)?.step?.since;
			if (!since) return null;
			const both = await data(asked({ from: placeAddress(since), to: rev }));
			return { since, before: outcomesOf(both.points[0]), now: outcomesOf(both.points.at(-1)) };
		},
	});

/** The outcomes of the backends about which something is claimed at a point. */
function outcomesOf(point: TrendPoint | undefined): Map<string, Outcomes> {
	return new Map(
		point?.coverage
			.filter(({ claimed }) => claimed)
			.map(({ key, served, partly, fails, unknown }) => [
				key,
				{ works: served, partly, fails, unknown },
			]),
	);
}
