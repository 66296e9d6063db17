import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { namesQuery, projectsQuery } from "../api/queries";
import { Page, Section } from "../components/Page";
import { Rows } from "../components/Rows";
import { Async, Empty } from "../components/States";
import { counted } from "../lib/format";
import { lastProject, preferred } from "../lib/projects";
import { projectPath, revisionPath } from "../nav";
import styles from "./Home.module.css";
import { NoRevisions, RevisionCards } from "./project/RevisionCards";

/** What people come for, and each project with its newest revision: what is new, and what broke. */
export default function Home() {
	const projects = useQuery(projectsQuery);
	return (
		<Page
			title="Opatlas"
			heading="Operator registry"
			lead={
				<>
					Operators, where they run, and why. Press <kbd>/</kbd> to search for an operator, a
					key, a rule or a revision.
				</>
			}
			api="/v1/projects"
		>
			<Async query={projects}>
				{(items) =>
					items.length === 0 ? (
						<Empty title="No revisions are stored yet">
							<p>
								Import a release: <code>opatlas import torch==2.15.0</code>
							</p>
						</Empty>
					) : (
						<>
							<Tasks project={preferred(items, lastProject())} />
							<Rows>
								{items.map(({ name, description, revisions }, at) => (
									<Project
										key={name}
										name={name}
										note={[counted(revisions, "revision"), description].filter(Boolean).join(" · ")}
										isFilled={revisions > 0}
										isEager={at < 4}
									/>
								))}
							</Rows>
						</>
					)
				}
			</Async>
		</Page>
	);
}

/** What people come for, as ways to where it is done. */
function Tasks({ project }: { project: string | undefined }) {
	if (project === undefined) return null;
	const tasks = [
		{
			to: projectPath(project, "upgrade"),
			title: "Plan an upgrade",
			text: "What a new revision breaks and adds for your backend.",
		},
		{
			to: "/validate",
			title: "Check my entry",
			text: "Findings, dispatch table and declarations while you type.",
		},
		{
			to: revisionPath({ project, rev: "latest" }, "/backends"),
			title: "What does my backend lack?",
			text: "Coverage of each backend by operator, and the gaps that matter most.",
		},
	];
	return (
		<nav className={styles.tasks} aria-label="Tasks">
			{tasks.map(({ to, title, text }) => (
				<Link key={title} to={to} className={styles.task}>
					<strong>{title}</strong>
					<span>{text}</span>
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
