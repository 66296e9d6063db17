import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { type NameItem, namesQuery, projectsQuery } from "../../api/queries";
import { Button, Select } from "../../components/controls";
import { RevisionBox } from "../../components/RevisionBox";
import { Card, Page, Section } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import { Tabs } from "../../components/Tabs";
import { placeAddress, placeTitle } from "../../lib/history";
import { lastProject, preferred } from "../../lib/projects";
import { comparePath, projectPath } from "../../nav";
import type { CompareSearch } from "../../routes/compare";
import styles from "./Choose.module.css";
import { Paste } from "./Paste";

const route = getRouteApi("/compare");

/** How many steps of the timeline are listed. */
const STEPS = 40;

/** Two revisions to choose, or two files to paste. */
export default function Choose() {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: CompareSearch, replace = false) =>
		void navigate({
			to: ".",
			search: { ...search, ...change },
			replace,
			resetScroll: false,
			// The pasted files stay, but where revisions are chosen instead.
			...("from" in change ? {} : { hash: true, hashScrollIntoView: false }),
		});
	const from = search.from ?? (search.rule === undefined ? "revisions" : "files");
	return (
		<Page
			title="Compare"
			lead="What changed between two revisions, who is affected, and the effect on every backend."
		>
			<Tabs
				label="What to compare"
				value={from}
				tabs={[
					{ id: "revisions", label: "Stored revisions" },
					{ id: "files", label: "Two files" },
				]}
				onChange={(id) => set({ from: id === "files" ? "files" : undefined, rule: undefined })}
			>
				{from === "files" ? (
					<Paste search={search} set={set} />
				) : (
					<Revisions project={search.project} onProject={(project) => set({ project })} />
				)}
			</Tabs>
		</Page>
	);
}

interface RevisionsProps {
	project: string | undefined;
	onProject: (project: string | undefined) => void;
}

function Revisions({ project, onProject }: RevisionsProps) {
	const projects = useQuery(projectsQuery);
	return (
		<Async query={projects}>
			{(items) => {
				const chosen = project ?? preferred(items, lastProject());
				if (chosen === undefined) {
					return (
						<Empty title="No revisions are stored yet">
							<p>
								Import two releases with <code>opatlas import</code>, or paste two files.
							</p>
						</Empty>
					);
				}
				return (
					<div className={styles.revisions}>
						{items.length > 1 && (
							<Select
								label="Project"
								value={chosen}
								options={items.map(({ name }) => ({ value: name, label: name }))}
								onChange={onProject}
							/>
						)}
						<OfProject key={chosen} project={chosen} />
					</div>
				);
			}}
		</Async>
	);
}

function OfProject({ project }: { project: string }) {
	const newest = useQuery(namesQuery(project, "", STEPS + 1));
	return (
		<Async query={newest}>
			{({ items, total }) =>
				items.length === 0 ? (
					<Empty title="This project has no revisions" />
				) : (
					<>
						<Pair project={project} items={items} />
						<Steps project={project} items={items} total={total} />
					</>
				)
			}
		</Async>
	);
}

function Pair({ project, items }: { project: string; items: readonly NameItem[] }) {
	const navigate = route.useNavigate();
	const [last = "", before = last] = items.map(placeAddress);
	const [base, setBase] = useState(before);
	const [head, setHead] = useState(last);
	const compare = () => void navigate({ to: comparePath(project, base, head) });
	return (
		<Card>
			<form
				className={styles.pair}
				onSubmit={(event) => {
					event.preventDefault();
					compare();
				}}
			>
				<RevisionBox
					label="Base (old)"
					project={project}
					value={base}
					onChange={(value) => setBase(value ?? "")}
				/>
				<Button
					aria-label="Swap base and head"
					onClick={() => {
						setBase(head);
						setHead(base);
					}}
				>
					⇄
				</Button>
				<RevisionBox
					label="Head (new)"
					project={project}
					value={head}
					onChange={(value) => setHead(value ?? "")}
				/>
				<Button type="submit" primary>
					Compare
				</Button>
			</form>
		</Card>
	);
}

interface StepsProps {
	project: string;
	items: readonly NameItem[];
	/** How many names the project has. */
	total: number;
}

/** The last steps of the timeline, each a comparison with the one before. */
function Steps({ project, items, total }: StepsProps) {
	const steps = items
		.slice(0, STEPS)
		.map((head, at) => ({ head, base: items[at + 1] }))
		.filter(({ head, base }) => head.kind === base?.kind);
	if (total < 2) {
		return (
			<p className="muted">Only one revision is stored. A comparison needs two.</p>
		);
	}
	return (
		<Section
			title="Step by step"
			note={
				total > items.length
					? `the last ${steps.length} revisions, each with its predecessor`
					: "each revision with its predecessor"
			}
			actions={<Link to={projectPath(project)}>All revisions</Link>}
		>
			<ul className={styles.steps}>
				{steps.map(
					({ head, base }) =>
						base && (
							<li key={placeAddress(head)}>
								<Link to={comparePath(project, placeAddress(base), placeAddress(head))}>
									{head.commit && head.label == null ? (
										<>
											{head.commit.subject} <code>{placeTitle(head)}</code>
										</>
									) : (
										`${placeTitle(base)} → ${placeTitle(head)}`
									)}
								</Link>
							</li>
						),
				)}
			</ul>
		</Section>
	);
}
