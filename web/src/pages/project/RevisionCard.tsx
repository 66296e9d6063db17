import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { keysQuery, type NameItem, revisionQuery } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { CoverageLink } from "../../components/links";
import { Card } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { ROW } from "../../components/Rows";
import { Loading } from "../../components/States";
import { breaks, type Step } from "../../lib/change";
import { count, counted, day, shortDigest } from "../../lib/format";
import { placeAddress, placeTitle } from "../../lib/history";
import { LEVEL_LOOKS } from "../../lib/levels";
import { atItem } from "../../lib/revisions";
import { comparePath, revisionPath } from "../../nav";
import { CoverageMeters } from "./CoverageMeters";
import styles from "./Project.module.css";

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

interface Props {
	project: string;
	item: NameItem;
	before: NameItem | undefined;
	/** What it changed since the one before it on the timeline, where that is known. */
	step: Step | undefined;
	eager: boolean;
}

/** What matters about a revision, in a list of them. */
export function RevisionCard({ project, item, before, step, eager }: Props) {
	const [node, near] = useNear(eager);
	const at = atItem(project, item);
	const then = before && atItem(project, before);
	const revision = useQuery({ ...revisionQuery(at), enabled: near });
	const previous = useQuery({
		...revisionQuery(then ?? at),
		enabled: near && then !== undefined,
	});
	const keys = useQuery({ ...keysQuery(at), enabled: near });
	const summary = revision.data?.summary;
	return (
		<li ref={node} {...ROW}>
			<Card>
				<div className={styles.revision}>
					<div className={styles.name}>
						<Link to={revisionPath(at)} className={styles.title}>
							{placeTitle(item)}
						</Link>
						{item.labels
							.filter((label) => label !== item.label)
							.slice(0, 4)
							.map((label) => (
								<Badge key={label}>{label}</Badge>
							))}
						<span className={styles.digest} title={item.revision}>
							{shortDigest(item.revision)}
						</span>
						<span className={styles.digest}>
							{item.date ? day(item.date) : revision.data && `stored ${day(revision.data.ingested_at)}`}
						</span>
						{item.commit && <span className={styles.subject}>{item.commit.subject}</span>}
					</div>
					{summary ? (
						<div className={styles.numbers}>
							<Link to={revisionPath(at, "/operators")}>
								{counted(summary.operators, "operator")}
							</Link>
							<span className="muted">+ {count(summary.generated)} generated</span>
							{previous.data && before && (
								<Change
									now={summary.operators}
									then={previous.data.summary.operators}
									of={placeTitle(before)}
									to={comparePath(project, placeAddress(before), placeAddress(item))}
								/>
							)}
							{step && (
								<Breaks
									project={project}
									step={step}
									added={
										before?.revision === step.since.revision && previous.data
											? summary.errors - previous.data.summary.errors
											: undefined
									}
								/>
							)}
							<Findings
								to={revisionPath(at, "#findings")}
								{...summary}
								before={previous.data?.summary.errors}
							/>
						</div>
					) : (
						<div className={styles.line}>{near && <Loading lines={1} />}</div>
					)}
					{keys.data ? (
						<div className={styles.across}>
							<CoverageMeters at={at} keys={keys.data} />
							<CoverageLink />
						</div>
					) : (
						(revision.isError && (
							<p className="muted">
								<Prose text={revision.error.message} />
							</p>
						)) ||
						<div className={styles.meters}>{near && <Loading lines={1} />}</div>
					)}
				</div>
			</Card>
		</li>
	);
}

interface FindingsProps {
	to: string;
	errors: number;
	warnings: number;
	/** How many errors there were before, if that is known. */
	before?: number | undefined;
}

/** How much the rules find. */
export function Findings({ to, errors, warnings, before }: FindingsProps) {
	return (
		<Link to={to} className={styles.findings}>
			{errors > 0 && <Badge tone="error">{counted(errors, "error") + sinceBefore(errors, before)}</Badge>}
			{warnings > 0 && <Badge tone="warning">{counted(warnings, "warning")}</Badge>}
			{errors + warnings === 0 && <Badge tone="good">no findings</Badge>}
		</Link>
	);
}

/** How many errors are new; nothing where that is told apart. */
function sinceBefore(errors: number, before: number | undefined): string {
	if (before === undefined || errors > before) return "";
	return errors === before ? ", as before" : `, ${count(before - errors)} fewer than before`;
}

interface ChangeProps {
	now: number;
	then: number;
	of: string;
	/** Where all of it is told. */
	to: string;
}

/** How many operators more or fewer there are. */
export function Change({ now, then, of, to }: ChangeProps) {
	const change = now - then;
	const text = change === 0 ? "as many" : `${change > 0 ? "+" : "−"}${count(Math.abs(change))}`;
	return (
		<Link to={to} className="target">
			{text} since {of}
		</Link>
	);
}

interface BreaksProps {
	project: string;
	step: Step;
	/** How many errors it has more than the one before, if that is known. */
	added?: number | undefined;
}

/** How much of the change since the one before breaks, and the way to all of it. */
export function Breaks({ project, step, added = 0 }: BreaksProps) {
	const { breaking, forward_breaking, since, to } = step;
	const isWorse = breaking + forward_breaking > 0 || added > 0;
	const level = breaking > 0 || added > 0 ? "breaking" : "forward-breaking";
	const { glyph, tone } = LEVEL_LOOKS[isWorse ? level : "safe"];
	return (
		<Link
			to={comparePath(project, placeAddress(since), placeAddress(to))}
			title={`What changed from ${placeTitle(since)} to ${placeTitle(to)}`}
		>
			<Badge tone={tone}>
				<span aria-hidden="true">{glyph}</span>
				{breaks(step, added)}
			</Badge>
		</Link>
	);
}
