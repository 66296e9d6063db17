import { Link } from "@tanstack/react-router";
import { Page } from "../components/Page";
import { Empty } from "../components/States";

/** What an address shows that no view has. */
export function NotFound() {
	return (
		<Page title="Page not found">
			<Empty title="There is no page at this address">
				<p>
					Start at the <Link to="/">home page</Link>, or press <kbd>/</kbd> to search.
				</p>
			</Empty>
		</Page>
	);
}
