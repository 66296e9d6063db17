import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { Section } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import { csvOf } from "../../lib/csv";
import { counted, perCent } from "../../lib/format";
import { placeTitle } from "../../lib/history";
import { coverageLine } from "../../lib/trends";
import { ChartTable } from "../history/ChartTable";
import { type Trends, trendsQuery } from "../history/queries";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";

/** How much of a key works, and how much it has kernels of its own for, revision by revision. */
export default function HistoryTab() {
	const { place } = useBackend();
	const trends = useQuery(trendsQuery(place.project, {}));
	return <Async query={trends}>{(trends) => <Chart trends={trends} />}</Async>;
}

function Chart({ trends: { points, project } }: { trends: Trends }) {
	const { key } = useBackend();
	const lines = useMemo(
		() => [
			{ ...coverageLine(points, key, "served"), name: "Works" },
			{ ...coverageLine(points, key, "partly"), name: "Works partly" },
			{ ...coverageLine(points, key, "fails"), name: "Fails" },
			{ ...coverageLine(points, key, "unknown"), name: "Unknown" },
			{ ...coverageLine(points, key, "kernels"), name: "Own kernels" },
		],
		[points, key],
	);
	if (lines.every(({ values }) => values.every((value) => value === null))) {
		return (
			<Empty title={`The timeline does not count ${key}`}>
				<p>It counts the backends with dense tensors.</p>
			</Empty>
		);
	}
	const sheet = () =>
		csvOf([
			["revision", ...lines.map(({ name }) => name)],
			...points.map((point, at) => [
				placeTitle(point),
				...lines.map(({ values }) => values[at]?.toFixed(2) ?? ""),
			]),
		]);
	return (
		<Section
			title="Coverage over time"
			note={counted(points.length, "revision")}
			actions={
				<>
					<Link to="/p/$project/trends" params={{ project }} search={{ keys: key }}>
						Compare with other backends
					</Link>
					<Sheet name={`${project}-${key}-history.csv`} make={sheet} />
				</>
			}
		>
			<ChartTable
				title="Coverage"
				project={project}
				points={points}
				lines={lines}
				format={perCent}
				most={100}
			/>
		</Section>
	);
}
