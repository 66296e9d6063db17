import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "../../components/controls";
import { useNarrow } from "../../components/Filters";
import { ReasonItems } from "../../components/ReasonMark";
import { VerdictLegend } from "../../components/VerdictMark";
import { AnswerLegend } from "../../components/WayMark";
import { usePlace } from "../../layout/place";
import { csvOf } from "../../lib/csv";
import { count, counted } from "../../lib/format";
import { markdownOf } from "../../lib/markdown";
import type { MatrixOperator } from "../../lib/matrix";
import type { Sheet as Columns } from "../../lib/sheet";
import styles from "./Backends.module.css";
import { Sheet } from "./Sheet";

interface Props {
	sheet: Columns;
	operators: readonly MatrixOperator[];
	columns: readonly number[];
	/** What else stands above the rows. */
	children: ReactNode;
}

/** How large the matrix is, what its symbols mean, and the way to take it away. */
export function MatrixHead({ sheet, operators, columns, children }: Props) {
	const { project, rev } = usePlace();
	const isNarrow = useNarrow();
	const rows = () => [
		["operator", ...columns.map((column) => sheet.names[column] ?? "")],
		...operators.map((operator) => [
			operator.name,
			...columns.map((column) => sheet.looks[sheet.at(operator, column)]?.word ?? ""),
		]),
	];
	const file = `${project}-${rev}-${sheet.noun}`;
	const legend =
		sheet.noun === "ways" ? (
			<AnswerLegend />
		) : (
			<VerdictLegend>{!columns.every(sheet.hasVerdicts) && <ReasonItems />}</VerdictLegend>
		);
	const rest = (
		<>
			{legend}
			<span className={styles.files}>
				<Sheet name={`${file}.csv`} make={() => csvOf(rows())} />
				<Sheet name={`${file}.md`} label="Download Markdown" make={() => markdownOf(rows())} />
			</span>
			{children}
		</>
	);
	return (
		<div className={styles.above}>
			<p className={styles.count} role="status">
				<strong>{count(operators.length)}</strong> operators × <strong>{columns.length}</strong>{" "}
				{sheet.noun}
			</p>
			{isNarrow ? (
				<details className={styles.fold}>
					<summary>Legend and files</summary>
					<div className={styles.above}>{rest}</div>
				</details>
			) : (
				rest
			)}
		</div>
	);
}

interface UnknownProps {
	names: readonly string[];
	shown: boolean;
	onShow: (shown: boolean) => void;
}

/** The keys about which nothing is known, in a line, with what would tell. */
export function UnknownColumns({ names, shown, onShow }: UnknownProps) {
	const { project, rev } = usePlace();
	return (
		<p className={styles.unknown}>
			<span>
				Out of tree, all unknown: <span className="mono">{names.join(", ")}</span>
			</span>
			<Button aria-pressed={shown} onClick={() => onShow(!shown)}>
				{shown ? "Hide" : "Show"} {counted(names.length, "column")}
			</Button>
			<Link
				to="/p/$project/upgrade"
				params={{ project }}
				search={{ head: rev }}
				className="target"
			>
				Give a backend file
			</Link>
		</p>
	);
}
