import { Link } from "@tanstack/react-router";
import { Badge } from "../../components/Badge";
import { LevelBadge } from "../../components/LevelBadge";
import { Button } from "../../components/controls";
import { ImplementLink, OperatorAt, RuleLink, TopicLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { VerdictMark } from "../../components/VerdictMark";
import { save } from "../../lib/download";
import { counted } from "../../lib/format";
import { LEVELS } from "../../lib/levels";
import { comparePath } from "../../nav";
import { SideBySide } from "../compare/SideBySide";
import type { BackendReport } from "./queries";
import styles from "./Upgrade.module.css";

interface Props {
	project: string;
	report: BackendReport;
	/** What the file is called, where somebody gave it a name. */
	file: string | undefined;
	/** Asks for the same report in another media type. */
	ask: (accept: string) => Promise<string>;
}

const addressOf = (side: BackendReport["base"]) => side.label ?? side.revision ?? side.title;

/** What an upgrade means for a backend, in the order in which one acts on it. */
export function ReportView({ project, report, file, ask }: Props) {
	const base = { project, rev: addressOf(report.base) };
	const head = { project, rev: addressOf(report.head) };
	const kernels = (wanted: string) => report.kernels.filter(({ fits }) => fits === wanted);
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
					{file === undefined ? "The file" : <code>{file}</code>} lists {counted(report.listed, "operator")} for{" "}
					<TopicLink name={report.key}>{report.key}</TopicLink>.{" "}
					<Link to={comparePath(project, base.rev, head.rev)}>
						All changes from {report.base.title} to {report.head.title}
					</Link>
				</p>
				<Exports report={report} ask={ask} />
			</section>
			<Unknown
				title="Operators that are gone"
				base={base}
				head={head}
				unknown={report.unknown.filter(({ vanished }) => vanished)}
			/>
			<Unknown
				title="Names in neither revision"
				base={base}
				head={head}
				unknown={report.unknown.filter(({ vanished }) => !vanished)}
			/>
			<Kernels title="Kernels that must change" place={head} at={report.key} kernels={kernels("no")} />
			<Kernels
				title="Kernels to check; their types are unknown"
				place={head}
				at={report.key}
				kernels={kernels("unknown")}
			/>
			<Respelled report={report} />
			<Cells
				title="New operators that fail"
				note="without a kernel on this backend"
				place={head}
				cells={report.lacking}
				implement={report.key}
			/>
			<Cells
				title="Lost defaults"
				note="not listed, and served by another kernel before"
				place={head}
				cells={report.lost}
				implement={report.key}
			/>
			<Reassigned place={head} cells={report.reassigned} />
			<Kernels
				title="Kernels that compile unchanged"
				place={head}
				at={report.key}
				kernels={kernels("yes")}
			/>
			<Changed title="Changes to check; kernels compile" place={head} changed={report.changed} />
			<Cells
				title="New operators that work"
				note="served by another kernel"
				place={head}
				cells={report.inherited}
			/>
			<Cells
				title="New operators to check"
				note="that work partly, or for which this is unknown"
				place={head}
				cells={report.uncertain}
				implement={report.key}
			/>
			<Cells
				title="New operators of other backends"
				note="only their libraries have them"
				place={head}
				cells={report.other_backends}
			/>
		</>
	);
}

function Exports({ report, ask }: Pick<Props, "report" | "ask">) {
	const name = `upgrade-${report.key}-${report.head.label ?? "head"}`;
	const saved = async (media: string, extension: string) =>
		save(new Blob([await ask(media)], { type: media }), `${name}.${extension}`);
	return (
		<p className={styles.exports}>
			<Button onClick={() => void saved("text/markdown", "md")}>Checklist (Markdown)</Button>
			<Button onClick={() => void saved("text/csv", "csv")}>CSV</Button>
		</p>
	);
}

interface UnknownProps {
	title: string;
	base: At;
	head: At;
	unknown: BackendReport["unknown"];
}

/** Listed operators that the head does not have: removed ones, or names that were never there. */
function Unknown({ title, base, head, unknown }: UnknownProps) {
	if (unknown.length === 0) return null;
	return (
		<Section title={title} note={counted(unknown.length, "operator")}>
			<ul className={styles.changed}>
				{unknown.map(({ operator, vanished, suggestions }) => (
					<li key={operator}>
						<p className={styles.line}>
							{vanished ? <OperatorAt place={base} name={operator} /> : <code>{operator}</code>}
							<Badge tone="error">{vanished ? "gone" : "in neither revision"}</Badge>
						</p>
						{suggestions.length > 0 && (
							<p>
								{vanished ? "Similar names" : "Did you mean"}:{" "}
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
	);
}

interface KernelsProps {
	title: string;
	place: At;
	/** The key of the backend. */
	at: string;
	kernels: BackendReport["kernels"];
}

/** Kernels whose declarations differ, old and new beside each other. */
function Kernels({ title, place, at, kernels }: KernelsProps) {
	if (kernels.length === 0) return null;
	return (
		<Section title={title} note={counted(kernels.length, "kernel")}>
			<ul className={styles.changed}>
				{kernels.map(({ operator, old, new: after, why }) => (
					<li key={operator}>
						<p className={styles.line}>
							<OperatorAt place={place} name={operator} />
							<ImplementLink place={place} name={operator} at={at} />
							{why && <Prose text={why} />}
						</p>
						<SideBySide before={old ?? "no declaration"} after={after ?? "no declaration"} />
					</li>
				))}
			</ul>
		</Section>
	);
}

/** What is only written in another way, once for all kernels. */
function Respelled({ report }: { report: BackendReport }) {
	if (report.respelled.length === 0) return null;
	return (
		<Section title="Written in another way" note="kernels compile as they are">
			<ul className={styles.changed}>
				{report.respelled.map(({ old, new: after }) => (
					<li key={old}>
						<p>
							<code>{old}</code> is now written <code>{after}</code>.
						</p>
					</li>
				))}
			</ul>
		</Section>
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
	/** The key that one may want to implement them for. */
	implement?: string;
}

function Cells({ title, note, place, cells, implement }: CellsProps) {
	if (cells.length === 0) return null;
	return (
		<Section title={title} note={`${counted(cells.length, "operator")} ${note}`}>
			<Card>
				<ul className={styles.cells}>
					{cells.map(({ operator, verdict, source_key, core }) => (
						<li key={operator} className={styles.line}>
							<VerdictMark verdict={verdict} />
							<OperatorAt place={place} name={operator} />
							{core && <Badge tone="accent">core</Badge>}
							{implement && <ImplementLink place={place} name={operator} at={implement} />}
							{source_key && <span className={styles.by}>{source_key}</span>}
						</li>
					))}
				</ul>
			</Card>
		</Section>
	);
}

interface ReassignedProps {
	place: At;
	cells: BackendReport["reassigned"];
}

function Reassigned({ place, cells }: ReassignedProps) {
	if (cells.length === 0) return null;
	return (
		<Section
			title="Served differently"
			note={`${counted(cells.length, "operator")} not listed, and served by another kernel before`}
		>
			<Card>
				<ul className={styles.cells}>
					{cells.map((cell) => (
						<li key={cell.old.operator} className={styles.line}>
							<VerdictMark verdict={cell.new.verdict} />
							<OperatorAt place={place} name={cell.new.operator} />
							{cell.new.core && <Badge tone="accent">core</Badge>}
							<span className={styles.by}>
								{cell.old.source_key} → {cell.new.source_key ?? "no kernel"}
							</span>
						</li>
					))}
				</ul>
			</Card>
		</Section>
	);
}
