import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { Button } from "../../components/controls";
import { Card } from "../../components/Page";
import { Table } from "../../components/Table";
import { counted } from "../../lib/format";
import { placeAddress, placeTitle } from "../../lib/history";
import { axisTitles, type Line, notesOf, type TrendPoint, titles } from "../../lib/trends";
import { revisionPath } from "../../nav";
import { Chart } from "./Chart";
import type { Stretch } from "./queries";
import styles from "./Trends.module.css";

interface Props {
	title: string;
	project: string;
	points: readonly TrendPoint[];
	lines: readonly Line[];
	format: (value: number) => string;
	/** What no value exceeds. */
	most?: number;
	/** The line that is hidden at first, because of its scale. */
	apart?: string;
	/** Whether it points out how many operators came and went. */
	noted?: boolean;
	/** A stretch was chosen. */
	onZoom?: (stretch: Stretch) => void;
}

/** How many rows of a table are there at once. */
const ROWS = 30;

/** A chart, and its numbers as a table. */
export function ChartTable(props: Props) {
	const { title, project, points, lines, format, most, apart, noted = false, onZoom } = props;
	const names = useMemo(() => titles(points), [points]);
	const axis = useMemo(() => axisTitles(points), [points]);
	const notes = useMemo(() => (noted ? notesOf(points) : undefined), [points, noted]);
	const zoom = (from: number, to: number) => {
		const [first, last] = [points[from], points[to]];
		if (first && last) onZoom?.({ from: placeAddress(first), to: placeAddress(last) });
	};
	// The last rows to begin with, which are the newest revisions.
	const [last, setLast] = useState(points.length);
	useEffect(() => setLast(points.length), [points]);
	const first = Math.max(0, last - ROWS);
	const said = lines.map(({ name, values }) => {
		const ends = [values[0], values.at(-1)].map((value) =>
			typeof value === "number" ? format(value) : "unknown",
		);
		return `${name} from ${ends[0]} to ${ends[1]}`;
	});
	return (
		<div className={styles.both}>
			<Card>
				<Chart
					label={`${title} from ${names[0]} to ${names.at(-1)}: ${said.join(", ")}`}
					project={project}
					titles={names}
					axis={axis}
					lines={lines}
					format={format}
					most={most}
					notes={notes}
					apart={apart}
					onZoom={onZoom && points.length > 2 ? zoom : undefined}
				/>
			</Card>
			<Table
				label={`${title}, table`}
				numbers
				tall
				after={
					points.length > ROWS && (
						<div className={styles.rows}>
							<Button disabled={first === 0} onClick={() => setLast(Math.max(ROWS, first))}>
								Older
							</Button>
							<Button
								disabled={last === points.length}
								onClick={() => setLast(Math.min(points.length, last + ROWS))}
							>
								Newer
							</Button>
							<span className="muted">
								{first + 1} to {last} of {counted(points.length, "point")}
							</span>
						</div>
					)
				}
			>
				<thead>
					<tr>
						<th scope="col">Revision</th>
						{lines.map(({ name }) => (
							<th key={name} scope="col">
								{name}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{points.slice(first, last).map((point, row) => (
						<tr key={`${point.revision} ${point.label}`}>
							<th scope="row">
								<Link
									to={revisionPath({ project, rev: placeAddress(point) })}
									className="mono target"
								>
									{placeTitle(point)}
								</Link>
							</th>
							{lines.map(({ name, values }) => {
								const value = values[first + row];
								return <td key={name}>{typeof value === "number" ? format(value) : "–"}</td>;
							})}
						</tr>
					))}
				</tbody>
			</Table>
		</div>
	);
}
