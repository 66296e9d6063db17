import { Link } from "@tanstack/react-router";
import { Section } from "../../components/Page";
import { Table } from "../../components/Table";
import { VerdictMark } from "../../components/VerdictMark";
import { count, percent } from "../../lib/format";
import type { MatrixOperator } from "../../lib/matrix";
import { VERDICTS } from "../../lib/verdicts";
import { useBackend } from "./useBackend";

interface Props {
	operators: readonly MatrixOperator[];
	verdictOf: (operator: MatrixOperator) => string | undefined;
}

/** How many operators have each verdict, with the way to them. */
export function Verdicts({ operators, verdictOf }: Props) {
	const { place, key } = useBackend();
	const found = new Map<string, number>();
	for (const operator of operators) {
		const verdict = verdictOf(operator) ?? "unknown";
		found.set(verdict, (found.get(verdict) ?? 0) + 1);
	}
	return (
		<Section title="By verdict" note="what happens when an operator is called">
			<Table label="By verdict, counts" numbers>
				<thead>
					<tr>
						<th scope="col">Verdict</th>
						<th scope="col">Operators</th>
						<th scope="col">Share</th>
					</tr>
				</thead>
				<tbody>
					{VERDICTS.map(({ name, works }) => {
						const of = found.get(name);
						if (of === undefined) return null;
						return (
							<tr key={name}>
								<th scope="row">
									<Link
										to="/p/$project/r/$rev/backends/$key/kernels"
										params={{ project: place.project, rev: place.rev, key }}
										search={{
											verdict: name,
											show: works === "no" ? "missing" : undefined,
											generated: "exclude",
										}}
										className="target"
									>
										<VerdictMark verdict={name} label />
									</Link>
								</th>
								<td>{count(of)}</td>
								<td>{percent(of, operators.length)}</td>
							</tr>
						);
					})}
				</tbody>
				<tfoot>
					<tr>
						<th scope="row">All</th>
						<td>{count(operators.length)}</td>
						<td>{percent(operators.length, operators.length)}</td>
					</tr>
				</tfoot>
			</Table>
		</Section>
	);
}
