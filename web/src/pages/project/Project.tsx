import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { namesBefore, namesQuery, projectsQuery } from "../../api/queries";
import { Page, Section } from "../../components/Page";
import { Rows } from "../../components/Rows";
import { SearchInput } from "../../components/SearchInput";
import { Async, Empty } from "../../components/States";
import { counted } from "../../lib/format";
import { projectPath, revisionPath } from "../../nav";
import styles from "./Project.module.css";
import { NoRevisions, RevisionCards } from "./RevisionCards";

const route = getRouteApi("/p/$project");

/** How many revisions stand on a page. */
const LISTED = 12;

/** A project: its views, and its revisions, newest first. */
export default function Project() {
	const { project } = route.useParams();
	const { q, cursor } = route.useSearch();
	const navigate = route.useNavigate();
	const projects = useQuery(projectsQuery);
	const names = useQuery({
		...namesQuery(project, q, LISTED, cursor),
		placeholderData: namesBefore(project),
	});
	const description = projects.data?.find(({ name }) => name === project)?.description;
	return (
		<Page
			title={project}
			lead={description}
			actions={<Ways project={project} />}
			api={`/v1/projects/${encodeURIComponent(project)}/timeline`}
		>
			<Section title="Revisions" note={names.data && counted(names.data.total, "name")}>
				<div>
					<SearchInput
						label="Label, commit, subject or date"
						placeholder="2.9"
						value={q}
						onChange={(q) => void navigate({ search: { q }, replace: true, resetScroll: false })}
					/>
				</div>
				<Async query={names}>
					{({ items, next_cursor }) => (
						<>
							{items.length > 0 ? (
								<Rows>
									<RevisionCards project={project} items={items} isWhole={q === undefined} />
								</Rows>
							) : q === undefined ? (
								<NoRevisions project={project} />
							) : (
								<Empty title="No revision has these words" />
							)}
							<nav className={styles.pages} aria-label="Pages">
								{cursor !== undefined && (
									<Link to="/p/$project" params={{ project }} search={{ q }}>
										Newest
									</Link>
								)}
								{next_cursor != null && (
									<Link to="/p/$project" params={{ project }} search={{ q, cursor: next_cursor }}>
										Older
									</Link>
								)}
							</nav>
						</>
					)}
				</Async>
			</Section>
		</Page>
	);
}

/** The views of the project. */
function Ways({ project }: { project: string }) {
	const latest = { project, rev: "latest" };
	return (
		<span className={styles.numbers}>
			<Link to={revisionPath(latest)}>Newest revision</Link>
			<Link to={projectPath(project, "trends")}>Trends</Link>
			<Link to={projectPath(project, "support")}>Support</Link>
			<Link to={projectPath(project, "upgrade")}>Upgrade</Link>
			<Link to={projectPath(project, "probe")}>Probe runs</Link>
			<Link to={projectPath(project, "search")}>Search all revisions</Link>
		</span>
	);
}
