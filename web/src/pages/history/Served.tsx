import { Link } from "@tanstack/react-router";
import { Section } from "../../components/Page";
import { ReasonMark } from "../../components/ReasonMark";
import { Table } from "../../components/Table";
import { VerdictMark } from "../../components/VerdictMark";
import { counted } from "../../lib/format";
import {
	byNews,
	type HistoryRange,
	placeAddress,
	placeTitle,
	type TimelinePlace,
} from "../../lib/history";
import { revisionPath } from "../../nav";
import styles from "./OperatorHistory.module.css";

interface Props {
	project: string;
	ranges: readonly HistoryRange[];
	/** Whether keys about which nothing is known are unfolded: where one key was asked for. */
	isOpen: boolean;
}

type Key = readonly [string, readonly HistoryRange[]];

/** Whether it worked at each key, and by what, stretch by stretch; those that changed come first. */
export function Served({ project, ranges, isOpen }: Props) {
	const { changed, same, unknown } = byNews(ranges);
	const known = [...changed, ...same];
	if (known.length + unknown.length === 0) return null;
	return (
		<Section
			title="Kernels"
			note={
				known.length > 0 &&
				(changed.length === 0
					? "the same throughout on every key"
					: `${counted(changed.length, "key")} changed, ${same.length} did not`)
			}
		>
			{known.length > 0 && (
				<Keys label="Kernel by backend and revision" project={project} keys={known} />
			)}
			{unknown.length > 0 && (
				<details className={styles.unknown} open={isOpen}>
					<summary>
						Nothing is known on {counted(unknown.length, "key")}:{" "}
						<span className="mono">{unknown.map(([key]) => key).join(", ")}</span>
					</summary>
					<Keys label="Keys about which nothing is known" project={project} keys={unknown} />
				</details>
			)}
		</Section>
	);
}

/** Builds for ROCm register their kernels to the keys of CUDA. */
const isOfCuda = (key: string) => key.endsWith("HIP");

function Keys({ label, project, keys }: { label: string; project: string; keys: readonly Key[] }) {
	return (
		<Table label={label}>
			<thead>
				<tr>
					<th scope="col">Key</th>
					<th scope="col">Verdict</th>
					<th scope="col">From</th>
					<th scope="col">To</th>
					<th scope="col">By</th>
					<th scope="col">Kernel</th>
				</tr>
			</thead>
			{keys.map(([key, of]) => (
				<tbody key={key}>
					{of.map((range, at) => (
						<tr key={`${range.from.revision} ${range.from.label}`}>
							{at === 0 && (
								<th scope="rowgroup" rowSpan={of.length} className="mono">
									{key}
								</th>
							)}
							<td>{range.verdict && <VerdictMark verdict={range.verdict} label />}</td>
							<td>
								<PlaceLink project={project} place={range.from} />
							</td>
							<td>
								<PlaceLink project={project} place={range.to} />
							</td>
							{isOfCuda(key) ? (
								<td colSpan={2} className="muted">
									the kernels of {key.replace("HIP", "CUDA")}
								</td>
							) : (
								<By at={key} range={range} />
							)}
						</tr>
					))}
				</tbody>
			))}
		</Table>
	);
}

function By({ at, range }: { at: string; range: HistoryRange }) {
	const { reason, kernel, source_key } = range;
	return (
		<>
			<td>
				<ReasonMark reason={reason ?? "missing"} label />
			</td>
			<td className="mono">
				{kernel ?? "–"}
				{source_key && source_key !== at && <span className="muted"> of {source_key}</span>}
			</td>
		</>
	);
}

function PlaceLink({ project, place }: { project: string; place: TimelinePlace }) {
	return (
		<Link to={revisionPath({ project, rev: placeAddress(place) })} className="mono target">
			{placeTitle(place)}
		</Link>
	);
}
