import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { Button, Segments } from "../../components/controls";
import { FilterBar } from "../../components/Filters";
import { Page, Section } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import { count, counted, perCent } from "../../lib/format";
import { list, stringify } from "../../lib/search";
import { coverageLine, drawnKeys, type Line, type TrendPoint, trendKeys } from "../../lib/trends";
import { segment } from "../../nav";
import { COUNTED, type TrendsSearch } from "../../routes/history";
import { ChartTable } from "./ChartTable";
import { type Trends as TrendsData, trendsQuery } from "./queries";
import { StretchSelects } from "./StretchSelects";
import styles from "./Trends.module.css";
import { WayTrends } from "./WayTrends";

const route = getRouteApi("/p/$project/trends");

const COUNTED_NAMES = {
	served: "Work",
	partly: "Work partly",
	fails: "Fail",
	unknown: "Unknown",
	kernels: "Own kernels",
};

/** Coverage and counts over all revisions of a project. */
export default function Trends() {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: TrendsSearch) =>
		void navigate({ to: ".", search: { ...search, ...change }, resetScroll: false });
	const query = useQuery(trendsQuery(project, search));
	const asked = stringify({ from: search.from, to: search.to });
	return (
		<Page
			title={`Trends of ${project}`}
			lead="Number of operators, how they are declared, and coverage of each backend, by revision."
			api={`/v1/projects/${segment(project)}/trends${asked}`}
			wide
		>
			<FilterBar>
				<StretchSelects project={project} from={search.from} to={search.to} set={set} />
				{(search.from ?? search.to) !== undefined && (
					<Button onClick={() => set({ from: undefined, to: undefined })}>Whole timeline</Button>
				)}
			</FilterBar>
			<Async query={query}>
				{(trends) => <Body trends={trends} search={search} set={set} />}
			</Async>
		</Page>
	);
}

interface BodyProps {
	trends: TrendsData;
	search: TrendsSearch;
	set: (change: TrendsSearch) => void;
}

function Body({ trends, search, set }: BodyProps) {
	const { points, project } = trends;
	const of = search.of ?? "served";
	const known = useMemo(() => trendKeys(points), [points]);
	const drawn = useMemo(() => drawnKeys(list(search.keys), known), [search.keys, known]);
	const coverage = useMemo(
		() => drawn.map((key) => coverageLine(points, key, of)),
		[points, drawn, of],
	);
	const operators = useMemo(
		() => [
			line("Declared", points, (point) => point.operators),
			line("Generated", points, (point) => point.generated),
		],
		[points],
	);
	const declared = useMemo(
		() => [
			line("Composite, implicit", points, (point) => point.composite_implicit),
			line("Composite, explicit", points, (point) => point.composite_explicit),
			line("Structured", points, (point) => point.structured),
			line("Core", points, (point) => point.core),
		],
		[points],
	);
	if (points.length === 0) return <Empty title="No revisions in this range" />;
	const toggle = (key: string) => {
		const next = drawn.includes(key) ? drawn.filter((one) => one !== key) : [...drawn, key];
		set({ keys: known.filter((one) => next.includes(one)).join(",") || undefined });
	};
	const note =
		trends.revisions > points.length
			? `${count(points.length)} of ${counted(trends.revisions, "revision")}`
			: counted(points.length, "revision");
	return (
		<>
			<Section title="Coverage" note={`share of the declared operators, ${note}`}>
				<FilterBar label="What is drawn">
					<Segments
						label="What counts"
						value={of}
						options={COUNTED.map((value) => ({ value, label: COUNTED_NAMES[value] }))}
						onChange={(value) => set({ of: value === "served" ? undefined : value })}
					/>
					<fieldset className={styles.keys}>
						<legend className="visually-hidden">Backends</legend>
						{known.map((key) => (
							<label key={key} className="target">
								<input
									type="checkbox"
									checked={drawn.includes(key)}
									onChange={() => toggle(key)}
								/>
								{key}
							</label>
						))}
					</fieldset>
				</FilterBar>
				<ChartTable
					title="Coverage"
					project={project}
					points={points}
					lines={coverage}
					format={perCent}
					most={100}
					noted
					onZoom={set}
				/>
			</Section>
			<WayTrends project={project} ways={trends.ways} search={search} set={set} />
			<Section title="Operators" note="declared and generated">
				<ChartTable
					title="Operators"
					project={project}
					points={points}
					lines={operators}
					format={count}
					apart="Generated"
					noted
					onZoom={set}
				/>
			</Section>
			<Section title="How they are declared" note="composite, structured, and tagged core">
				<ChartTable
					title="How they are declared"
					project={project}
					points={points}
					lines={declared}
					format={count}
					onZoom={set}
				/>
			</Section>
		</>
	);
}

const line = (
	name: string,
	points: readonly TrendPoint[],
	of: (point: TrendPoint) => number,
): Line => ({ name, values: points.map(of) });
