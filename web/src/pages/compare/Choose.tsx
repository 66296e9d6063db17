import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { projectsQuery, type RevisionItem, revisionsQuery } from "../../api/queries";
import { Button, Select } from "../../components/controls";
import { Card, Page, Section } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import { Tabs } from "../../components/Tabs";
import { lastProject, preferred } from "../../lib/projects";
import { labelsOf, timeline, titleOf } from "../../lib/revisions";
import { comparePath } from "../../nav";
import type { CompareSearch } from "../../routes/compare";
import styles from "./Choose.module.css";
import { Paste } from "./Paste";

const route = getRouteApi("/compare");

/** Two revisions to choose, or two files to paste. */
export default function Choose() {
	const search = route.useSearch();
	const navigate = useNavigate();
	const set = (change: CompareSearch, replace = false) =>
		void navigate({
			to: ".",
			search: { ...search, ...change } as never,
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
	const revisions = useQuery(revisionsQuery(project));
	return (
		<Async query={revisions}>
			{(items) =>
				items.length === 0 ? (
					<Empty title="This project has no revisions" />
				) : (
					<>
						<Pair project={project} items={timeline(items)} />
						<Steps project={project} items={timeline(items)} />
					</>
				)
			}
		</Async>
	);
}

/** Every address that a revision has a name for, newest first. */
function addresses(items: readonly RevisionItem[]) {
	return items.flatMap((item) => {
		const labels = labelsOf(item);
		const names = labels.length > 0 ? labels : [item.address];
		return names.map((name) => ({ value: name, label: name }));
	});
}

function Pair({ project, items }: { project: string; items: readonly RevisionItem[] }) {
	const navigate = useNavigate();
	const options = addresses(items);
	const [base, setBase] = useState(options[1]?.value ?? options[0]?.value ?? "");
	const [head, setHead] = useState(options[0]?.value ?? "");
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
				<Select
					label="Base (old)"
					value={base}
					options={options}
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
				<Select
					label="Head (new)"
					value={head}
					options={options}
					onChange={(value) => setHead(value ?? "")}
				/>
				<Button type="submit" primary>
					Compare
				</Button>
			</form>
		</Card>
	);
}

/** The steps of the timeline, each a comparison with the one before. */
function Steps({ project, items }: { project: string; items: readonly RevisionItem[] }) {
	const steps = items.slice(0, -1).map((head, at) => ({ head, base: items[at + 1] }));
	if (steps.length === 0) {
		return (
			<p className="muted">Only one revision is stored. A comparison needs two.</p>
		);
	}
	const addressOf = (item: RevisionItem) => labelsOf(item)[0] ?? item.address;
	return (
		<Section title="Step by step" note="each revision with its predecessor">
			<ul className={styles.steps}>
				{steps.map(
					({ head, base }) =>
						base && (
							<li key={head.digest}>
								<Link to={comparePath(project, addressOf(base), addressOf(head))}>
									{titleOf(base)} → {titleOf(head)}
								</Link>
							</li>
						),
				)}
			</ul>
		</Section>
	);
}
