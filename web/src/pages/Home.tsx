import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import {
	keysQuery,
	projectsQuery,
	type RevisionItem,
	revisionQuery,
	revisionsQuery,
	stepsQuery,
} from "../api/queries";
import { Badge } from "../components/Badge";
import { CoverageLink } from "../components/links";
import { Card, Page, Section } from "../components/Page";
import { Prose } from "../components/Prose";
import { Async, Empty, Loading } from "../components/States";
import { breaks, type Step, stepsByRevision } from "../lib/change";
import { count, counted, day, shortDigest } from "../lib/format";
import { placeAddress, placeTitle } from "../lib/history";
import { LEVEL_LOOKS } from "../lib/levels";
import { addressOf, labelsOf, timeline, titleOf } from "../lib/revisions";
import { type BackendCoverage, VERDICTS } from "../lib/verdicts";
import { comparePath, keyPath, revisionPath } from "../nav";
import styles from "./Home.module.css";

/** The backends whose coverage stands on the home page. */
const MAIN = ["CPU", "CUDA", "MPS", "XPU", "XLA", "Meta", "PrivateUse1"];

/** Projects and their revisions, with what matters about each. */
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
						items.map((project) => (
							<Project key={project.name} name={project.name} description={project.description} />
						))
					)
				}
			</Async>
		</Page>
	);
}

function Project({ name, description }: { name: string; description: string | null }) {
	const revisions = useQuery(revisionsQuery(name));
	// One answer for all of them. They are shown without it until it is there.
	const points = useQuery({ ...stepsQuery(name), enabled: (revisions.data?.length ?? 0) > 1 });
	const steps = useMemo(() => stepsByRevision(points.data ?? []), [points.data]);
	return (
		<Section
			title={name}
			note={
				<>
					{revisions.data && counted(revisions.data.length, "revision")}
					{description && ` · ${description}`}
				</>
			}
		>
			<Async query={revisions}>
				{(items) =>
					items.length === 0 ? (
						<Empty title="This project has no revisions">
							<p>
								Run <code>opatlas import</code>, or post a bundle to{" "}
								<code>/v1/projects/{name}/revisions</code>.
							</p>
						</Empty>
					) : (
						<ol className={styles.revisions}>
							{timeline(items).map((item, at, all) => (
								<Revision
									key={item.digest}
									item={item}
									before={all[at + 1]}
									step={steps.get(item.address)}
									eager={at < 4}
								/>
							))}
						</ol>
					)
				}
			</Async>
		</Section>
	);
}

/** Whether an element has come near the window, from when on it may ask the server. */
function useNear(eager: boolean) {
	const node = useRef<HTMLLIElement>(null);
	const [near, setNear] = useState(eager);
	useEffect(() => {
		if (near || !node.current) return;
		const observer = new IntersectionObserver(
			(entries) => {
				if (entries.some((entry) => entry.isIntersecting)) setNear(true);
			},
			{ rootMargin: "200px" },
		);
		observer.observe(node.current);
		return () => observer.disconnect();
	}, [near]);
	return [node, near] as const;
}

interface RevisionProps {
	item: RevisionItem;
	before: RevisionItem | undefined;
	/** What it changed since the one before it on the timeline, where that is known. */
	step: Step | undefined;
	eager: boolean;
}

function Revision({ item, before, step, eager }: RevisionProps) {
	const [node, near] = useNear(eager);
	const place = { project: item.project, rev: addressOf(item) };
	const earlier = { project: item.project, rev: before ? addressOf(before) : "" };
	const revision = useQuery({ ...revisionQuery(place), enabled: near });
	const previous = useQuery({ ...revisionQuery(earlier), enabled: near && before !== undefined });
	const keys = useQuery({ ...keysQuery(place), enabled: near });
	const summary = revision.data?.summary;
	return (
		<li ref={node}>
			<Card>
				<div className={styles.revision}>
					<div className={styles.name}>
						<Link to={revisionPath(place)}>{titleOf(item)}</Link>
						{labelsOf(item)
							.slice(1)
							.map((label) => (
								<Badge key={label}>{label}</Badge>
							))}
						<span className={styles.digest} title={item.address}>
							{shortDigest(item.digest)}
						</span>
						<span className={styles.digest}>{day(item.ingested_at)}</span>
					</div>
					{summary ? (
						<div className={styles.numbers}>
							<Link to={revisionPath(place, "/operators")}>
								{counted(summary.operators, "operator")}
							</Link>
							<span className="muted">+ {count(summary.generated)} generated</span>
							{previous.data && before && (
								<Change
									now={summary.operators}
									then={previous.data.summary.operators}
									of={titleOf(before)}
									to={comparePath(item.project, addressOf(before), addressOf(item))}
								/>
							)}
							{step && <Breaks project={item.project} step={step} />}
							<Link to={revisionPath(place, "#findings")} className={styles.findings}>
								{summary.errors > 0 && (
									<Badge tone="error">{counted(summary.errors, "error")}</Badge>
								)}
								{summary.warnings > 0 && (
									<Badge tone="warning">{counted(summary.warnings, "warning")}</Badge>
								)}
								{summary.errors + summary.warnings === 0 && <Badge tone="good">no findings</Badge>}
							</Link>
						</div>
					) : (
						<Loading lines={1} />
					)}
					{keys.data ? (
						<>
							<ul className={styles.coverage} aria-label="Coverage">
								{keys.data
									.filter(({ key }) => MAIN.includes(key))
									.sort((a, b) => MAIN.indexOf(a.key) - MAIN.indexOf(b.key))
									.flatMap(({ key, coverage }) =>
										coverage ? [
											<li key={key}>
												<Link to={keyPath(place, key)}>
													<span>{key}</span>
													<strong>{coverage.claimed ? `${coverage.covered} %` : "out of tree"}</strong>
													<Meter coverage={coverage} />
												</Link>
											</li>,
										] : [],
									)}
							</ul>
							<CoverageLink />
						</>
					) : (
						(revision.isError && (
								<p className="muted">
									<Prose text={revision.error.message} />
								</p>
							)) || (
							<Loading lines={1} />
						)
					)}
				</div>
			</Card>
		</li>
	);
}

interface ChangeProps {
	now: number;
	then: number;
	of: string;
	/** Where all of it is told. */
	to: string;
}

function Change({ now, then, of, to }: ChangeProps) {
	const change = now - then;
	const text = change === 0 ? "as many" : `${change > 0 ? "+" : "−"}${count(Math.abs(change))}`;
	return (
		<Link to={to} className="target">
			{text} since {of}
		</Link>
	);
}

/** How much of the change since the one before breaks, and the way to all of it. */
function Breaks({ project, step }: { project: string; step: Step }) {
	const { breaking, forward_breaking, since, to } = step;
	const level = breaking > 0 ? "breaking" : "forward-breaking";
	const { glyph, tone } = LEVEL_LOOKS[breaking + forward_breaking > 0 ? level : "safe"];
	return (
		<Link
			to={comparePath(project, placeAddress(since), placeAddress(to))}
			title={`What changed from ${placeTitle(since)} to ${placeTitle(to)}`}
		>
			<Badge tone={tone}>
				<span aria-hidden="true">{glyph}</span>
				{breaks(step)}
			</Badge>
		</Link>
	);
}

/** A bar: kernels of the key's own, then what works otherwise, then nothing. */
function Meter({ coverage }: { coverage: BackendCoverage }) {
	const { kernels, working, operators, verdicts } = coverage;
	const share = (part: number) => `${(operators === 0 ? 0 : part / operators) * 100}%`;
	const own = Math.min(kernels, working);
	const parts = VERDICTS.map(({ name }) => `${count(verdicts[name] ?? 0)} ${name}`);
	return (
		<span className={styles.meter} title={parts.join(", ")}>
			<span className={styles.own} style={{ width: share(own) }} />
			<span className={styles.inherited} style={{ width: share(working - own) }} />
		</span>
	);
}
