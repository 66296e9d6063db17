import { useMemo } from "react";
import { Meter } from "../../components/Meter";
import { type Column, SortedTable } from "../../components/SortedTable";
import { type Outcome, type Outcomes, outcomesTotal } from "../../lib/coverage";
import { count } from "../../lib/format";

/** An outcome that is counted. */
export interface Part {
	/** What addresses call its column. */
	id: string;
	part: Outcome;
	/** How it is called under a figure, and above a column. */
	label: string;
	title: string;
}

interface MeterProps {
	parts: readonly Part[];
	counts: Outcomes;
	thick?: boolean;
}

/** A bar of outcomes. */
export function OutcomeMeter({ parts, counts, thick = false }: MeterProps) {
	const shown = parts.map(({ part }) => ({ part, count: counts[part] ?? 0 }));
	return <Meter parts={shown} of={outcomesTotal(counts)} thick={thick} />;
}

type Row = readonly [string, Outcomes];

interface Props {
	label: string;
	parts: readonly Part[];
	rows: readonly Row[];
	sort: string | undefined;
	onSort: (sort: string | undefined) => void;
}

/** The outcomes of groups of operators, each with its bar. */
export function Breakdown({ label, parts, rows, sort, onSort }: Props) {
	const columns = useMemo<readonly Column<Row>[]>(
		() => [
			{
				id: "name",
				title: "Name",
				value: ([name]) => name,
				show: ([name, counts]) => (
					<>
						{name}
						<OutcomeMeter parts={parts} counts={counts} />
					</>
				),
			},
			...parts.map(({ id, part, label, title }) => ({
				id,
				title,
				meaning: label,
				value: ([, counts]: Row) => counts[part] ?? 0,
				show: ([, counts]: Row) => count(counts[part] ?? 0),
			})),
		],
		[parts],
	);
	return (
		<SortedTable
			label={label}
			columns={columns}
			rows={rows}
			keyOf={([name]) => name}
			sort={sort}
			onSort={onSort}
			tall
		/>
	);
}
