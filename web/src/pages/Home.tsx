import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { namesQuery, projectsQuery } from "../api/queries";
import { Page, Section } from "../components/Page";
import { Rows } from "../components/Rows";
import { Async, Empty } from "../components/States";
import { counted } from "../lib/format";
import { useExplain } from "../layout/useExplain";
import { useSearchDialog } from "../layout/search";
import { isMessage } from "../lib/message";
import { bySize, CUSTOMARY, lastProject, preferred } from "../lib/projects";
import { operatorPath, projectPath } from "../nav";
import styles from "./Home.module.css";
import { NoRevisions, RevisionCards } from "./project/RevisionCards";

/** A place to ask, and each project with its newest revision: what is new, and what broke. */
export default function Home() {
	const projects = useQuery(projectsQuery);
	const items = projects.data && bySize(projects.data);
	const isEmpty = items?.length === 0;
	return (
		<Page
			title="Opatlas"
			heading="Which PyTorch operators run where, and what breaks"
			api="/v1/projects"
		>
			{!isEmpty && (
				<>
					<SearchField />
					<Questions
						project={items ? preferred(items, lastProject()) : lastProject()}
						hasCustomary={items?.some(({ name, revisions }) => name === CUSTOMARY && revisions > 0)}
					/>
				</>
			)}
			<Async query={projects} loading={<div className={styles.room} />}>
				{() =>
					isEmpty ? (
						<Empty title="No revisions are stored yet">
							<p>
								Import a release: <code>opatlas import torch==2.15.0</code>
							</p>
						</Empty>
					) : (
						<Rows>
							{items?.map(({ name, description, revisions }, at) => (
								<Project
									key={name}
									name={name}
									note={[counted(revisions, "revision"), description].filter(Boolean).join(" · ")}
									isFilled={revisions > 0}
									isEager={at < 4}
								/>
							))}
						</Rows>
					)
				}
			</Async>
		</Page>
	);
}

/** Where one begins to type: the search goes on with it. */
function SearchField() {
	const search = useSearchDialog();
	return (
		<input
			type="search"
			className={styles.search}
			aria-label="Search for an operator, a backend or an error message"
			placeholder="grid_sampler on MPS, softmax, or an error message"
			autoComplete="off"
			value=""
			onChange={(event) => search({ text: event.target.value })}
			onClick={() => search({ text: "" })}
			onPaste={(event) => {
				event.preventDefault();
				const text = event.clipboardData.getData("text");
				search(isMessage(text) ? { text: "", pasted: text } : { text: text.trim() });
			}}
		/>
	);
}

/** An error that many meet. */
const ERROR =
	"NotImplementedError: The operator 'aten::_linalg_eigh.eigenvalues' is not currently implemented for the MPS device.";

interface QuestionsProps {
	project: string | undefined;
	/** Whether the project that has PyTorch's operators is there; undefined while nobody knows. */
	hasCustomary: boolean | undefined;
}

/** What people ask, each a way to the answer. */
function Questions({ project = CUSTOMARY, hasCustomary = true }: QuestionsProps) {
	const explain = useExplain();
	const first = { project: hasCustomary ? CUSTOMARY : project, rev: "latest" };
	const links = [
		[projectPath(project, "upgrade"), "What breaks for my backend in the next release?"],
		["/validate", "Is my entry valid?"],
		[projectPath(project, "preflight"), "Will my model run?"],
	] as const;
	return (
		<nav className={styles.questions} aria-label="Questions">
			<Link to={operatorPath(first, "grid_sampler_2d")} search={{ key: "MPS" }}>
				Does grid_sampler_2d run on MPS, and since when?
			</Link>
			<button type="button" onClick={() => explain(ERROR)}>
				What does “_linalg_eigh is not implemented for MPS” mean?
			</button>
			{links.map(([to, text]) => (
				<Link key={to} to={to}>
					{text}
				</Link>
			))}
		</nav>
	);
}

interface ProjectProps {
	name: string;
	note: string;
	isFilled: boolean;
	isEager: boolean;
}

function Project({ name, note, isFilled, isEager }: ProjectProps) {
	// The newest, and the one that it is compared with.
	const newest = useQuery({ ...namesQuery(name, "", 2), enabled: isFilled });
	return (
		<Section
			title={name}
			note={note}
			actions={
				<span className={styles.ways}>
					<Link to={projectPath(name)}>All revisions</Link>
					{isFilled && <Link to={projectPath(name, "trends")}>Trends</Link>}
				</span>
			}
		>
			{isFilled ? (
				<Async query={newest}>
					{({ items }) => (
						<RevisionCards project={name} items={items} shown={1} eager={isEager ? 1 : 0} />
					)}
				</Async>
			) : (
				<NoRevisions project={name} />
			)}
		</Section>
	);
}
