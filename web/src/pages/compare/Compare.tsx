import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { raw } from "../../api/client";
import { Copy } from "../../components/controls";
import { Page } from "../../components/Page";
import { Async } from "../../components/States";
import { titleOf } from "../../lib/revisions";
import { stringify } from "../../lib/search";
import { comparePath, rangeParams, segment } from "../../nav";
import type { ComparisonSearch } from "../../routes/compare";
import { ComparisonView } from "./ComparisonView";
import { CopyMarkdown } from "./CopyMarkdown";
import { comparisonQuery } from "./queries";
import { useSubject } from "./useSubject";

const route = getRouteApi("/p/$project/compare/$range");

/** Two stored revisions, compared. */
export default function Compare() {
	const { project, range } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const { profile, fail_on } = search;
	const query = useQuery({
		...comparisonQuery(project, range, { profile, fail_on }),
		// Under another profile, what was there stays until the answer comes; of other revisions it
		// would stand under a title that is not its own.
		placeholderData: (before, query) =>
			query?.queryKey[1] === project && query.queryKey[2] === range ? before : undefined,
	});
	const set = (change: ComparisonSearch, replace = false) =>
		void navigate({
			to: ".",
			search: { ...search, ...change },
			replace,
			resetScroll: false,
		});
	const api = `/v1/projects/${segment(project)}/compare/${segment(range)}`;
	const [base = "", head = ""] = range.split("...", 2);
	const [before, after] = [useSubject(project, base), useSubject(project, head)];
	const comparison = query.data;
	const markdown = useMemo(
		() => (part: number, max_chars: number) =>
			raw(`${api}${stringify({ profile, fail_on, max_chars, part })}`, {
				headers: { Accept: "text/markdown" },
			}),
		[api, profile, fail_on],
	);
	const permalink =
		comparison &&
		new URL(
			comparePath(project, comparison.base.revision, comparison.head.revision) +
				stringify({ ...search }),
			location.origin,
		).href;
	return (
		<Page
			title={`${project} ${before ?? titleOf(base)} → ${after ?? titleOf(head)}`}
			lead={
				<p>
					What changed, who is affected, and the effect on every backend. Compare{" "}
					<Link to="/compare" search={{ project }}>
						other revisions
					</Link>
					{base && head && (
						<>
							{" "}
							or{" "}
							<Link
								to="/p/$project/compare/$range"
								params={rangeParams(project, head, base)}
								search={search}
							>
								in reverse
							</Link>
						</>
					)}
					.
				</p>
			}
			api={`${api}${stringify({ profile, fail_on })}`}
			actions={
				comparison && (
					<>
						<CopyMarkdown ask={markdown} />
						<Copy text={permalink ?? ""}>Copy permalink</Copy>
					</>
				)
			}
		>
			<Async query={query}>
				{(comparison) => (
					<ComparisonView
						comparison={comparison}
						search={search}
						set={set}
						isBehind={query.isPlaceholderData}
					/>
				)}
			</Async>
		</Page>
	);
}
