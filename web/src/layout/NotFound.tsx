import { Link, useRouterState } from "@tanstack/react-router";
import { Page } from "../components/Page";
import { Empty } from "../components/States";
import { nearest } from "../lib/distance";
import { NAV } from "../nav";

/** The views that need no revision, by path. */
const PATHS = NAV.flatMap(({ to }) => to(undefined) ?? []);

/** What an address shows that no view has. */
export function NotFound() {
	const path = useRouterState({ select: (state) => state.location.pathname });
	const [near] = nearest(path.toLowerCase(), PATHS, 1);
	return (
		<Page title="Page not found">
			<Empty title="There is no page at this address">
				<p>
					You asked for <code>{path}</code>.{" "}
					{near !== undefined && near !== "/" && (
						<>
							Did you mean <Link to={near}>{near}</Link>?
						</>
					)}
				</p>
				<p>
					Start at the <Link to="/">home page</Link>, or press <kbd>/</kbd> to search.
				</p>
			</Empty>
		</Page>
	);
}
