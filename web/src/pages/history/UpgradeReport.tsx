import { Link } from "@tanstack/react-router";
import { Badge } from "../../components/Badge";
import { LevelBadge } from "../../components/LevelBadge";
import { OperatorAt, RuleLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { ReasonMark } from "../../components/ReasonMark";
import { counted } from "../../lib/format";
import { LEVELS } from "../../lib/levels";
import { comparePath } from "../../nav";
import { SideBySide } from "../compare/SideBySide";
import type { BackendReport } from "./queries";
import styles from "./Upgrade.module.css";

interface Props {
	project: string;
	report: BackendReport;
}

const addressOf = (side: BackendReport["base"]) => side.label ?? side.revision ?? side.title;

/** What changes for a backend: what must be done first, then what comes by itself. */
export function ReportView({ project, report }: Props) {
	const base = { project, rev: addressOf(report.base) };
	const head = { project, rev: addressOf(report.head) };
	const must = report.changed.filter(({ breaks }) => breaks);
	const may = report.changed.filter(({ breaks }) => !breaks);
	return (
		<>
			<section
				className={styles.verdict}
				data-breaks={report.breaks || undefined}
				aria-label="Verdict"
				aria-live="polite"
			>
				<p className={styles.says}>
					<span aria-hidden="true">{report.breaks ? "✕" : "✓"}</span>{" "}
					<Prose text={report.verdict} />
				</p>
				<p>
					<code>{report.file}</code> lists {counted(report.listed, "operator")} for{" "}
					<code>{report.key}</code>.{" "}
					<Link to={comparePath(project, base.rev, head.rev)}>
						All changes from {report.base.title} to {report.head.title}
					</Link>
				</p>
			</section>
			{report.unknown.length > 0 && (
				<Section
					title="Listed, but not found"
					note={counted(report.unknown.length, "operator")}
				>
					<ul className={styles.changed}>
						{report.unknown.map(({ operator, vanished, suggestions }) => (
							<li key={operator}>
								<p className={styles.line}>
									{vanished ? (
										<OperatorAt place={base} name={operator} />
									) : (
										<code>{operator}</code>
									)}
									<Badge tone="error">{vanished ? "gone" : "never there"}</Badge>
								</p>
								{suggestions.length > 0 && (
									<p>
										Near it:{" "}
										{suggestions.map((name, at) => (
											<span key={name}>
												{at > 0 && ", "}
												<OperatorAt place={head} name={name} />
											</span>
										))}
									</p>
								)}
							</li>
						))}
					</ul>
				</Section>
			)}
			<Changed title="Kernels that must change" place={head} changed={must} />
			<Changed title="Changed, kernels stay valid" place={head} changed={may} />
			<Cells
				title="No longer served"
				note="not listed; had a kernel before"
				place={head}
				cells={report.lost}
			/>
			<Cells
				title="New, and lacking"
				note="no kernel on this backend"
				place={head}
				cells={report.lacking}
			/>
			<Cells
				title="New, and inherited"
				note="served by another kernel"
				place={head}
				cells={report.inherited}
			/>
		</>
	);
}

interface At {
	project: string;
	rev: string;
}

interface ChangedProps {
	title: string;
	place: At;
	changed: BackendReport["changed"];
}

function Changed({ title, place, changed }: ChangedProps) {
	if (changed.length === 0) return null;
	return (
		<Section title={title} note={counted(changed.length, "operator")}>
			<ul className={styles.changed}>
				{changed.map(({ operator, changes }) => (
					<li key={operator}>
						<OperatorAt place={place} name={operator} />
						{changes.map((change) => {
							const level = LEVELS.find((known) => known === change.level);
							return (
								<div key={`${change.rule} ${change.message}`} className={styles.change}>
									<p className={styles.line}>
										{level && <LevelBadge level={level} />}
										<span className={styles.message}>
											<Prose text={change.message} />
										</span>
										<RuleLink name={change.rule} />
									</p>
									{change.old && change.new && (
										<SideBySide before={change.old} after={change.new} />
									)}
								</div>
							);
						})}
					</li>
				))}
			</ul>
		</Section>
	);
}

interface CellsProps {
	title: string;
	note: string;
	place: At;
	cells: BackendReport["lost"];
}

function Cells({ title, note, place, cells }: CellsProps) {
	if (cells.length === 0) return null;
	return (
		<Section title={title} note={`${counted(cells.length, "operator")} ${note}`}>
			<Card>
				<ul className={styles.cells}>
					{cells.map(({ operator, reason, source_key, core }) => (
						<li key={operator} className={styles.line}>
							<ReasonMark reason={reason} />
							<OperatorAt place={place} name={operator} />
							{core && <Badge tone="accent">core</Badge>}
							{source_key && <span className={styles.by}>{source_key}</span>}
						</li>
					))}
				</ul>
			</Card>
		</Section>
	);
}
