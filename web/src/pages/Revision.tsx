import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
	apiPath,
	type Finding,
	findingsQuery,
	type Place,
	type Revision as RevisionData,
	revisionQuery,
	rulesQuery,
} from "../api/queries";
import { Badge, SeverityBadge } from "../components/Badge";
import { ButtonLink, Copy } from "../components/controls";
import { OperatorLink, RuleLink } from "../components/links";
import { Card, Facts, Page, Section } from "../components/Page";
import { Prose } from "../components/Prose";
import { Async, Empty } from "../components/States";
import { usePlace } from "../layout/place";
import { count, counted, day } from "../lib/format";
import { titleOf } from "../lib/revisions";
import { filePath, revisionPath } from "../nav";
import { Drift } from "./Drift";
import styles from "./Revision.module.css";

/** One revision: what it is, its files, and what the rules find in it. */
export default function Revision() {
	const place = usePlace();
	const revision = useQuery(revisionQuery(place));
	const title = titleOf(place.rev);
	const permalink = `${location.origin}${revisionPath({ ...place, rev: `sha256:${place.digest}` })}`;
	return (
		<Page
			title={`${place.project} ${title}`}
			lead={revision.data && <Lead revision={revision.data} rev={place.rev} />}
			api={apiPath(place, "")}
			actions={
				revision.data && (
					<>
						<ButtonLink href={apiPath(place, "/files/native_functions.yaml")} download>
							native_functions.yaml
						</ButtonLink>
						<Copy text={permalink}>Copy permalink</Copy>
					</>
				)
			}
		>
			<Async query={revision}>
				{({ summary, files, labels, commits, revision, ingested_at, notes }) => (
					<Card>
						<Facts
							items={[
								[
									"Operators",
									<Link key="o" to={revisionPath(place, "/operators")}>
										{count(summary.operators)}
									</Link>,
								],
								["Generated", count(summary.generated)],
								["Errors", count(summary.errors)],
								["Warnings", count(summary.warnings)],
								["Notes", count(summary.infos)],
								["Stored", day(ingested_at)],
								["Labels", <Labels key="l" project={place.project} labels={labels} />],
								...(commits.length > 0
									? [["Commits", <Commits key="c" place={place} commits={commits} />] as const]
									: []),
								[
									counted(files.length, "file"),
									files.map(({ name }) => (
										<Link key={name} to={filePath(place, name)} className="mono target">
											{name}{" "}
										</Link>
									)),
								],
							]}
						/>
						<p className={styles.digest}>{revision}</p>
						{notes.map((note) => (
							<p key={note} className="muted">
								{note}
							</p>
						))}
					</Card>
				)}
			</Async>
			<Findings />
			<Drift />
		</Page>
	);
}

/** What it was judged as, and the commit that it is. */
function Lead({ revision, rev }: { revision: RevisionData; rev: string }) {
	const { commits, label, release } = revision;
	const commit = commits.find(({ id }) => id.startsWith(rev)) ?? (label === null ? commits.at(-1) : undefined);
	return (
		<>
			Checked against release {release}
			{commit && ` · ${day(commit.author_date)} · ${commit.subject}`}
		</>
	);
}

/** How many labels and commits of a revision are listed. */
const NAMED = 12;

function Findings() {
	const place = usePlace();
	const findings = useQuery(findingsQuery(place));
	const rules = useQuery(rulesQuery);
	const about = new Map(rules.data?.map((rule) => [rule.id, rule.what]));
	return (
		<Section
			id="findings"
			title="Findings"
			note={findings.data && `${count(findings.data.items.length)} shown, by rule`}
			actions={<ButtonLink href={apiPath(place, "/findings")}>All, as data</ButtonLink>}
		>
			<Async query={findings}>
				{({ items }) =>
					items.length === 0 ? (
						<Empty title="No findings" />
					) : (
						<div className={styles.groups}>
							{byRule(items).map(([rule, found]) => (
								<details key={rule} className={styles.group} open={found[0]?.severity === "error"}>
									<summary>
										<SeverityBadge severity={found[0]?.severity ?? "info"} />
										<strong className="mono">{rule}</strong>
										<span className={styles.count}>{count(found.length)}</span>
										<span className={styles.what}>
											<Prose text={about.get(rule) ?? ""} />
										</span>
									</summary>
									<p className={styles.rule}>
										Why, and examples: <RuleLink name={rule} />
									</p>
									<ul>
										{found.map((finding) => (
											<li
												key={`${finding.file}${finding.span.line}${finding.span.column}${finding.message}`}
											>
												{finding.operator && <OperatorLink name={finding.operator} />}
												<span>
													<Prose text={finding.message} />
												</span>
												<span className={styles.where}>
													<Where finding={finding} />
												</span>
											</li>
										))}
									</ul>
								</details>
							))}
						</div>
					)
				}
			</Async>
		</Section>
	);
}

/** All labels of the files; each leads to the page of its own. */
function Labels({ project, labels }: { project: string; labels: RevisionData["labels"] }) {
	const names = labels.map(({ name }) => name).sort(byVersion);
	return (
		<>
			{names.slice(0, NAMED).map((name) => (
				<Link key={name} to={revisionPath({ project, rev: name })}>
					<Badge>{name}</Badge>{" "}
				</Link>
			))}
			{names.length > NAMED && `and ${names.length - NAMED} more`}
		</>
	);
}

const byVersion = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** The last commits with these files. */
function Commits({ place, commits }: { place: Place; commits: RevisionData["commits"] }) {
	return (
		<>
			{commits.slice(-NAMED).map(({ id, subject }) => (
				<Link
					key={id}
					to={revisionPath({ ...place, rev: id.slice(0, 12) })}
					className="mono target"
					title={subject}
				>
					{id.slice(0, 12)}{" "}
				</Link>
			))}
			{commits.length > NAMED && `and ${commits.length - NAMED} more`}
		</>
	);
}

/** Where a finding is, and the way there. */
function Where({ finding: { file, span } }: { finding: Finding }) {
	const place = usePlace();
	if (file === null) return <>line {span.line}</>;
	return (
		<Link to={filePath(place, file)} hash={`L${span.line}`} className="target">
			{file}:{span.line}
		</Link>
	);
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

/** Findings by rule: the gravest first, then the most frequent. */
function byRule(items: readonly Finding[]): [string, Finding[]][] {
	const groups = new Map<string, Finding[]>();
	for (const item of items) {
		const group = groups.get(item.rule);
		if (group) group.push(item);
		else groups.set(item.rule, [item]);
	}
	const rank = (found: Finding[]) => RANK[found[0]?.severity ?? "info"];
	return [...groups].sort(([, a], [, b]) => rank(a) - rank(b) || b.length - a.length);
}
