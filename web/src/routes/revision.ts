import { createRoute, redirect } from "@tanstack/react-router";
import { findingsQuery, queryClient, revisionQuery } from "../api/queries";
import { RevisionError, RevisionFrame } from "../layout/RevisionFrame";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { atOf } from "../lib/revisions";
import { revisionPath } from "../nav";
import { rootRoute } from "./root";

/**
 * What all views of a revision lie in. Its name is resolved here, once, before they load: they ask
 * the server by the digest. `latest` moves, and an address that is shared should not, so it becomes
 * what it stands for.
 */
export const revisionRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/p/$project/r/$rev",
	beforeLoad: async ({ params, location }) => {
		const query = revisionQuery(params);
		if (params.rev === "latest") {
			const at = atOf(params, await queryClient.fetchQuery({ ...query, staleTime: 0 }));
			const to = revisionPath(at);
			const rest = location.href.slice(revisionPath(params).length);
			throw redirect({ href: to + rest, replace: true });
		}
		const revision = await queryClient.ensureQueryData({ ...query, revalidateIfStale: true });
		return { at: atOf(params, revision) };
	},
	component: RevisionFrame,
	errorComponent: RevisionError,
});

/** The revision itself. */
export const summaryRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/",
	loader: (visit) => ahead(visit, findingsQuery(visit.context.at)),
	component: lazyPage(() => import("../pages/Revision")),
});

const above = <T extends string>(path: T, to: string) =>
	createRoute({
		getParentRoute: () => revisionRoute,
		path,
		beforeLoad: ({ context }) => {
			throw redirect({ href: revisionPath(context.at, to), replace: true });
		},
	});

/** Parts of addresses that are no views lead to the one that lists what may follow. */
export const namesRoute = above("/names", "/operators");
export const gapListsRoute = above("/gaps", "/backends");
export const filesRoute = above("/files", "");
