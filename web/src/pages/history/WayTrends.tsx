import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Select } from "../../components/controls";
import { Section } from "../../components/Page";
import { Async } from "../../components/States";
import { count } from "../../lib/format";
import { fateLines, type TrendPoint } from "../../lib/trends";
import type { TrendsSearch } from "../../routes/history";
import { ChartTable } from "./ChartTable";
import { type Stretch, type Trends, wayTrendsQuery } from "./queries";

/** The way that is drawn where nobody chose. */
const FIRST = "inductor";

interface Props {
	project: string;
	/** The ways that can be drawn. */
	ways: Trends["ways"];
	search: TrendsSearch;
	set: (change: TrendsSearch) => void;
}

/** Operators by their fate on a way. */
export function WayTrends({ project, ways, search, set }: Props) {
	const { way = FIRST, from, to } = search;
	const query = useQuery(wayTrendsQuery(project, way, { from, to }));
	return (
		<Section
			title="Ways"
			note="declared operators by fate"
			actions={
				<Select
					label="Way"
					value={way}
					options={ways.map(({ way, title }) => ({ value: way, label: title }))}
					onChange={(way) => set({ way: way === FIRST ? undefined : way })}
				/>
			}
		>
			<Async query={query}>
				{({ points }) => <Fates project={project} points={points} onZoom={set} />}
			</Async>
		</Section>
	);
}

interface FatesProps {
	project: string;
	points: readonly TrendPoint[];
	onZoom: (stretch: Stretch) => void;
}

function Fates({ project, points, onZoom }: FatesProps) {
	const lines = useMemo(() => fateLines(points), [points]);
	const title = points.at(-1)?.way?.title ?? "Fates";
	return (
		<ChartTable
			title={title}
			project={project}
			points={points}
			lines={lines}
			format={count}
			onZoom={onZoom}
		/>
	);
}
