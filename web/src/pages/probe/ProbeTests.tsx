import { OperatorAt } from "../../components/links";
import { ROW, Rows } from "../../components/Rows";
import { Table } from "../../components/Table";
import { VerdictMark } from "../../components/VerdictMark";
import { AGREES_NAMES, SILENCES } from "../../lib/probe";
import styles from "./Probe.module.css";
import type { Test, Verdicts } from "./queries";

/** How many operators of a test are named. */
const NAMED = 4;

/** Tests of a run, each with the verdicts on its operators. */
export function ProbeTests({ project, found }: { project: string; found: Verdicts }) {
	const place = { project, rev: `sha256:${found.revision.digest}` };
	return (
		<Rows>
			<Table label="Tests" names>
				<thead>
					<tr>
						<th scope="col">Test</th>
						<th scope="col">Measured</th>
						<th scope="col">Predicted</th>
						<th scope="col">Agreement</th>
					</tr>
				</thead>
				<tbody>
					{found.items.map((test) => (
						<tr key={test.item} {...ROW}>
							<th scope="row" className="mono">
								{test.item}
							</th>
							<td>
								{test.outcome}
								{test.missing.length > 0 && <span className="mono"> {test.missing.join(", ")}</span>}
							</td>
							<td>
								<ul className={styles.roots}>
									{test.roots.slice(0, NAMED).map(({ operator, verdict }) => (
										<li key={operator}>
											<VerdictMark verdict={verdict ?? "unknown"} label />{" "}
											<OperatorAt place={place} name={operator} />
										</li>
									))}
									{test.roots.length > NAMED && <li>and {test.roots.length - NAMED} more</li>}
								</ul>
							</td>
							<td>{agreement(test)}</td>
						</tr>
					))}
				</tbody>
			</Table>
		</Rows>
	);
}

const agreement = ({ agrees, because }: Test): string =>
	because ? `${AGREES_NAMES[agrees]}: ${SILENCES[because]}` : AGREES_NAMES[agrees];
