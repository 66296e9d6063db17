import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, useState } from "react";
import type { TableView } from "../../api/queries";
import { Section } from "../../components/Page";
import { Async } from "../../components/States";
import { verdictFill, VerdictMark } from "../../components/VerdictMark";
import { WayMark } from "../../components/WayMark";
import { usePlace } from "../../layout/place";
import {
	byData,
	type KeyHistory,
	spanWords,
	throughWords,
	trainingAnswer,
	trainingWords,
} from "../../lib/releases";
import { type Support, supportWords } from "../../lib/verdicts";
import { projectPath } from "../../nav";
import styles from "./SupportStrip.module.css";

/** How many backends of PyTorch's tree there are, whose room is kept while they load. */
const BACKENDS = 6;

interface Props {
	query: UseQueryResult<TableView>;
	/** The key that is explained. */
	chosen: string | undefined;
	onKey: (key: string) => void;
	actions?: ReactNode;
}

/** Where the operator runs: a cell for each backend with data, and a line for all others. */
export function SupportStrip({ query, chosen, onKey, actions }: Props) {
	return (
		<Section
			id="support"
			title="Where it runs"
			note="select a backend to see why"
			actions={actions}
		>
			<Async query={query} loading={<Room />}>
				{(view) => <Strip view={view} chosen={chosen} onKey={onKey} />}
			</Async>
		</Section>
	);
}

function Strip({ view, chosen, onKey }: Pick<Props, "chosen" | "onKey"> & { view: TableView }) {
	const supports = new Map(view.table.map(({ key, support }) => [key, support]));
	const histories = new Map(view.releases.map((history) => [history.key, history]));
	const { known, outside } = byData(view);
	return (
		<div className={styles.support}>
			<ul className={styles.strip} aria-label="Backends">
				{known.map((answer) => (
					<Cell
						key={answer.key}
						answer={answer}
						support={supports.get(answer.key)}
						history={histories.get(answer.key)}
						operator={view.operator}
						isChosen={answer.key === chosen}
						onKey={onKey}
					/>
				))}
			</ul>
			{outside.length > 0 && <Outside keys={outside.map(({ key }) => key)} />}
			<p className={styles.line}>
				A bare backend, with only the kernels that every device must have:{" "}
				<VerdictMark verdict={view.bare.verdict} /> {supportWords(view.bare, view.operator)}
			</p>
			{view.measured !== null && view.measured !== undefined && view.measured !== view.release && (
				<p className={styles.line}>Calls of composite kernels as recorded with {view.measured}.</p>
			)}
		</div>
	);
}

interface CellProps {
	answer: TableView["training"][number];
	support: Support | undefined;
	history: KeyHistory | undefined;
	operator: string;
	isChosen: boolean;
	onKey: (key: string) => void;
}

/** One backend; when one points at it or reaches it by keyboard, its past and its reason. */
function Cell({ answer, support, history, operator, isChosen, onKey }: CellProps) {
	const told = useId();
	const [dismissed, setDismissed] = useState(false);
	const { key, training } = answer;
	const verdict = support?.verdict ?? "unknown";
	return (
		<li
			className={styles.place}
			data-dismissed={dismissed || undefined}
			onMouseLeave={() => setDismissed(false)}
			onBlur={() => setDismissed(false)}
			onKeyDown={(event) => event.key === "Escape" && setDismissed(true)}
		>
			<button
				type="button"
				className={`${styles.cell} ${verdictFill(verdict)}`}
				data-key={key}
				data-verdict={verdict}
				aria-expanded={isChosen}
				aria-describedby={told}
				onClick={() => onKey(key)}
			>
				<span className={styles.key}>{key}</span>
				<VerdictMark verdict={verdict} label />
				<span className={styles.small}>
					<WayMark works={trainingAnswer(training)} missing={false}>
						{trainingWords(training)}
					</WayMark>
				</span>
				<span className={styles.small}>{history?.since}</span>
			</button>
			<div id={told} role="tooltip" className={styles.told}>
				{history && history.spans.length > 0 && <p>By release: {spanWords(history.spans)}.</p>}
				{support && support.verdict !== "runs" && <p>Calls: {supportWords(support, operator)}.</p>}
				<p>Training: {throughWords(answer)}.</p>
			</div>
		</li>
	);
}

/** Backends that nobody gave a file of, and where to give one. */
function Outside({ keys }: { keys: readonly string[] }) {
	const { project } = usePlace();
	return (
		<p className={styles.outside}>
			Out of tree, unknown: {keys.join(", ")}.{" "}
			<Link to={projectPath(project, "upgrade")} className="target">
				Add a backend file
			</Link>
		</p>
	);
}

/** As much room as the backends will take. */
function Room() {
	return (
		<div className={styles.support} role="status" aria-label="Loading">
			<div className={styles.strip}>
				{Array.from({ length: BACKENDS }, (_, at) => (
					<div key={at} className={styles.cell} />
				))}
			</div>
			<p className={styles.outside} />
			<p className={styles.line} />
		</div>
	);
}
