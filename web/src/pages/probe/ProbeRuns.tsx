import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../components/Page";
import { ROW, Rows } from "../../components/Rows";
import { Async, Empty } from "../../components/States";
import { Table } from "../../components/Table";
import { count, day, shortDigest } from "../../lib/format";
import { outcomeWords } from "../../lib/probe";
import { revisionPath, segment } from "../../nav";
import styles from "./Probe.module.css";
import { type RunItem, runsQuery } from "./queries";

const route = getRouteApi("/p/$project/probe");

/** What workers of the probe measured on devices: the runs of a project, newest first. */
export default function ProbeRuns() {
	const { project } = route.useParams();
	const { cursor } = route.useSearch();
	const runs = useQuery(runsQuery(project, cursor));
	return (
		<Page
			title={`Probe runs of ${project}`}
			lead="What operators did on devices. The page of a run compares that with the verdicts."
			api={`/v1/projects/${segment(project)}/probe/runs`}
			wide
		>
			<Async query={runs}>
				{({ items, next_cursor }) => (
					<>
						{items.length > 0 ? <Runs project={project} items={items} /> : <NoRuns />}
						<nav className={styles.pages} aria-label="Pages">
							{cursor !== undefined && (
								<Link to="/p/$project/probe" params={{ project }}>
									Newest
								</Link>
							)}
							{next_cursor != null && (
								<Link to="/p/$project/probe" params={{ project }} search={{ cursor: next_cursor }}>
									Older
								</Link>
							)}
						</nav>
					</>
				)}
			</Async>
		</Page>
	);
}

function Runs({ project, items }: { project: string; items: readonly RunItem[] }) {
	return (
		<Rows>
			<Table label="Runs" names>
				<thead>
					<tr>
						<th scope="col">Run</th>
						<th scope="col">Revision</th>
						<th scope="col">torch</th>
						<th scope="col">Device</th>
						<th scope="col">Shards</th>
						<th scope="col">Outcomes</th>
						<th scope="col">Opened</th>
					</tr>
				</thead>
				<tbody>
					{items.map((item) => (
						<Run key={item.run} project={project} item={item} />
					))}
				</tbody>
			</Table>
		</Rows>
	);
}

function Run({ project, item }: { project: string; item: RunItem }) {
	const { run, revision, torch, device, shards, outcomes, created_at } = item;
	const rev = `sha256:${revision.digest}`;
	return (
		<tr {...ROW}>
			<th scope="row">
				<Link to="/p/$project/probe/$run" params={{ project, run }} className="mono target">
					{run}
				</Link>
			</th>
			<td>
				<Link to={revisionPath({ project, rev })} className="target">
					{revision.label ?? shortDigest(revision.digest)}
				</Link>
			</td>
			<td>{torch}</td>
			<td>{device}</td>
			<td>
				{count(shards.done)} of {count(shards.total)}
			</td>
			<td>{outcomeWords(outcomes) || `none yet of ${count(item.items)}`}</td>
			<td>{day(created_at)}</td>
		</tr>
	);
}

function NoRuns() {
	return (
		<Empty title="No runs of the probe">
			<code>python -m opatlas_probe --server URL</code> opens one.
		</Empty>
	);
}
