import { OperatorAt } from "../../components/links";
import { Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Table } from "../../components/Table";
import { VerdictMark } from "../../components/VerdictMark";
import { counted } from "../../lib/format";
import styles from "./Ask.module.css";
import type { PreflightAnswer } from "./queries";

interface Props {
	project: string;
	answer: PreflightAnswer;
}

/** How an answer is marked: as the verdict on an operator that has it. */
const MARKS: Record<string, string> = { yes: "runs", partly: "partly", no: "fails" };

/** The answer for each backend first, then the kernels to write, then every operator. */
export function PreflightReport({ project, answer }: Props) {
	const place = { project, rev: answer.revision.label ?? answer.revision.revision ?? "latest" };
	const backends = Object.entries(answer.backends);
	return (
		<>
			<section aria-label="Answer" aria-live="polite" className={styles.given}>
				{backends.map(([name, backend]) => (
					<div key={name} className={styles.answer} data-verdict={backend.verdict}>
						<h2 className={styles.says}>
							<Prose text={backend.summary} />
						</h2>
						{backend.first?.where && <p className={styles.place}>{backend.first.where}</p>}
					</div>
				))}
				{answer.notes.map((note) => (
					<p key={note}>
						<Prose text={note} />
					</p>
				))}
			</section>
			{answer.leverage.length > 0 && (
				<Section title="Kernels that would make it run" note="the most needed first">
					<Table label="Kernels to write">
						<thead>
							<tr>
								<th>Backend</th>
								<th>Kernel</th>
								<th>Calls</th>
								<th>Needed by</th>
							</tr>
						</thead>
						<tbody>
							{answer.leverage.map(({ backend, operator, calls, needed_by }) => (
								<tr key={`${backend} ${operator}`}>
									<td>{backend}</td>
									<td>
										<OperatorAt place={place} name={operator} />
									</td>
									<td>{calls}</td>
									<td>{needed_by.join(", ")}</td>
								</tr>
							))}
						</tbody>
					</Table>
				</Section>
			)}
			<Section title="Operators" note={`${counted(answer.operators.length, "operator")}, ${answer.kind}`}>
				<Table label="Operators of the model" names tall>
					<thead>
						<tr>
							<th>Operator</th>
							<th>Calls</th>
							{backends.map(([name]) => (
								<th key={name}>{name}</th>
							))}
							<th>Why</th>
						</tr>
					</thead>
					<tbody>
						{answer.operators.map(({ operator, count, on, because, where }) => (
							<tr key={operator}>
								<th scope="row">
									<OperatorAt place={place} name={operator} />
								</th>
								<td>{count}</td>
								{backends.map(([name]) => (
									<td key={name}>
										<VerdictMark verdict={markOf(on[name])} label />
									</td>
								))}
								<td>
									{because}
									{where && <div className={styles.place}>{where}</div>}
								</td>
							</tr>
						))}
					</tbody>
				</Table>
			</Section>
			{answer.unread.length > 0 && (
				<Section title="Calls that could not be read" note={counted(answer.unread.length, "call")}>
					<ul>
						{answer.unread.map((text) => (
							<li key={text}>{text}</li>
						))}
					</ul>
				</Section>
			)}
		</>
	);
}

const markOf = (cell: PreflightAnswer["operators"][number]["on"][string] | undefined): string =>
	cell?.verdict ?? MARKS[cell?.works ?? ""] ?? "unknown";
