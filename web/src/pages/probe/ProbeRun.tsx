import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Segments } from "../../components/controls";
import { FilterBar } from "../../components/Filters";
import { Card, Facts, Page, Section } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import { count, counted, day, shortDigest } from "../../lib/format";
import { AGREES_NAMES, outcomeWords } from "../../lib/probe";
import { revisionPath, segment } from "../../nav";
import { AGREES } from "../../routes/probe";
import { ProbeTests } from "./ProbeTests";
import styles from "./Probe.module.css";
import { type Progress, runQuery, type Verdicts, verdictsQuery } from "./queries";

const route = getRouteApi("/p/$project/probe/$run");

/** How many ranks and quarantined items stand on the page; the API has all. */
const SHOWN = 20;

/** A run of the probe: how far it is, and whether it contradicts the verdicts. */
export default function ProbeRun() {
	const { project, run } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const progress = useQuery(runQuery(project, run));
	const verdicts = useQuery(verdictsQuery(project, run, search));
	const agrees = search.agrees ?? "no";
	return (
		<Page
			title={`Probe run ${run}`}
			lead={<Link to="/p/$project/probe" params={{ project }}>All runs of {project}</Link>}
			api={`/v1/projects/${segment(project)}/probe/runs/${segment(run)}/verdicts`}
			wide
		>
			<Async query={progress}>{(found) => <Summary project={project} run={found} />}</Async>
			{progress.isSuccess && (
				<Section title="Verdicts" note="what ran, next to what was predicted">
					<Async query={verdicts}>
						{(found) => (
							<>
								<Counts found={found} />
								<FilterBar label="Which tests">
									<Segments
										label="Agreement"
										value={agrees}
										options={AGREES.map((value) => ({
											value,
											label: `${AGREES_NAMES[value]} (${count(found.counts[value])})`,
										}))}
										onChange={(value) =>
											void navigate({
												to: ".",
												search: { agrees: value === "no" ? undefined : value },
												resetScroll: false,
											})
										}
									/>
								</FilterBar>
								{found.items.length > 0 ? (
									<ProbeTests project={project} found={found} />
								) : (
									<Empty title={agrees === "no" ? "No test contradicts the verdicts" : "No such tests"} />
								)}
								{found.next_cursor != null && (
									<nav className={styles.pages} aria-label="Pages">
										<Link
											to="/p/$project/probe/$run"
											params={{ project, run }}
											search={{ ...search, cursor: found.next_cursor }}
										>
											Next tests
										</Link>
									</nav>
								)}
							</>
						)}
					</Async>
				</Section>
			)}
		</Page>
	);
}

function Summary({ project, run }: { project: string; run: Progress }) {
	const { shards } = run;
	const total = shards.done + shards.leased + shards.waiting;
	const ranks = Object.entries(run.ranks);
	const rev = `sha256:${run.digest}`;
	return (
		<Card>
			<Facts
				items={[
					["Revision", <Link to={revisionPath({ project, rev })}>{run.revision === rev ? shortDigest(rev) : run.revision}</Link>],
					["torch", run.torch],
					["Device", run.device],
					["Opened", day(run.created_at)],
					["Shards", `${count(shards.done)} of ${count(total)} done, ${count(shards.leased)} leased`],
					["Outcomes", outcomeWords(run.outcomes) || "none yet"],
					["Ranks", some(ranks.map(([rank, { items }]) => `${rank}: ${count(items)} items`)) || "none yet"],
					["Quarantined", some(run.quarantined) || "none"],
				]}
			/>
		</Card>
	);
}

/** The first of many, and how many more there are. */
function some(texts: readonly string[]): string {
	const more = texts.length - SHOWN;
	return texts.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
}

function Counts({ found: { key, device, release, counts } }: { found: Verdicts }) {
	const judged = key
		? `Predicted for ${key} by the rules of ${release}.`
		: `The device ${device} has no dispatch key that verdicts are known for.`;
	return (
		<p>
			Of {counted(counts.yes + counts.no + counts.unknown, "test")}, {count(counts.yes)} agree,{" "}
			{count(counts.no)} contradict the verdicts, and {count(counts.unknown)} are unknown. {judged}
		</p>
	);
}
