import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { CoverageLink } from "../../components/links";
import { Figures } from "../../components/Meter";
import { Card, Section } from "../../components/Page";
import {
	countedOnes,
	type Outcome,
	outcomeAt,
	outcomes,
	outcomesBy,
	outcomesTotal,
	verdictIn,
} from "../../lib/coverage";
import { csvOf } from "../../lib/csv";
import { count, counted, percent } from "../../lib/format";
import styles from "./Backend.module.css";
import { Breakdown, OutcomeMeter, type Part } from "./Breakdown";
import { Delta } from "./Delta";
import { sinceQuery } from "./queries";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";
import { Verdicts } from "./Verdicts";

const route = getRouteApi("/p/$project/r/$rev/backends/$key/");

/** What is counted on the key of a backend: the answers to whether calls work. */
const ANSWERS: readonly Part[] = [
	{ id: "works", part: "works", label: "work", title: "Work" },
	{ id: "partly", part: "partly", label: "work partly", title: "Partly" },
	{ id: "missing", part: "fails", label: "fail", title: "Fail" },
	{ id: "unknown", part: "unknown", label: "unknown", title: "Unknown" },
];

/** What is counted on other keys. */
const STANDINGS: readonly Part[] = [
	{ id: "direct", part: "direct", label: "own kernels", title: "Own" },
	{ id: "inherited", part: "inherited", label: "otherwise", title: "Otherwise" },
	{ id: "missing", part: "fails", label: "fail", title: "Fail" },
	{ id: "unknown", part: "unknown", label: "unknown", title: "Unknown" },
];

/** How much of a key works, by verdict, namespace and Python module. */
export default function CoverageTab() {
	const { place, key, view, column } = useBackend();
	const { sort } = route.useSearch();
	const navigate = route.useNavigate();
	const before = useQuery(sinceQuery(place));
	const declared = useMemo(() => countedOnes(view.operators), [view]);
	const counts = useMemo(() => outcomes(view, declared, column), [view, declared, column]);
	const groups = useMemo(
		() =>
			[
				["By namespace", outcomesBy(view, declared, column, ({ namespace }) => namespace)],
				[
					"By Python module",
					outcomesBy(view, declared, column, (operator) => operator.python_module ?? "none"),
				],
			] as const,
		[view, declared, column],
	);
	const applicable = useMemo(
		() => declared.filter((one) => outcomeAt(view, one, column) !== "other"),
		[view, declared, column],
	);
	const hasVerdicts = view.verdicts.keys.includes(key);
	const parts = hasVerdicts ? ANSWERS : STANDINGS;
	const total = outcomesTotal(counts);
	const now = before.data?.now.get(key);
	const then = before.data?.before.get(key);
	const change = ({ part }: Part) =>
		now && then ? (now[part] ?? 0) - (then[part] ?? 0) : undefined;
	const sheet = () =>
		csvOf([
			["group", "name", ...parts.map(({ title }) => title.toLowerCase()), "other backends"],
			...groups.flatMap(([title, of]) =>
				of.map(([name, found]) => [
					title,
					name,
					...parts.map(({ part }) => found[part] ?? 0),
					found.other ?? 0,
				]),
			),
		]);
	return (
		<>
			<Card>
				<Figures
					items={parts
						.filter(({ part }) => part !== "partly" || counts.partly)
						.map((part) => ({
							part: part.part,
							count: counts[part.part] ?? 0,
							label: `${part.label}, ${percent(counts[part.part] ?? 0, total)}`,
							note: hasVerdicts && (
								<Delta change={change(part)} since={before.data?.since} more={part.part} />
							),
						}))}
				/>
				<OutcomeMeter parts={parts} counts={counts} thick />
				<p className="muted">
					{counted(applicable.length, declared[0]?.generated ? "generated operator" : "operator")}{" "}
					counted{declared[0]?.generated ? "" : ", without generated ones"}.{" "}
					{(counts.other ?? 0) > 0 && <Others count={counts.other ?? 0} />} <CoverageLink />
				</p>
				{hasVerdicts && !view.verdicts.claimed.includes(key) && (
					<p className="muted">
						The kernels of {key} live outside PyTorch, so nothing is claimed about them. Give the
						backend&apos;s file or an observation with the revision.
					</p>
				)}
			</Card>
			{hasVerdicts && (
				<Verdicts
					operators={applicable}
					verdictOf={(operator) => verdictIn(view, operator, key)?.name}
				/>
			)}
			<div className={styles.pair}>
				{groups.map(([title, rows]) => (
					<Section key={title} title={title}>
						<Breakdown
							label={`${title}, counts`}
							parts={parts}
							rows={rows}
							sort={sort}
							onSort={(sort) =>
								void navigate({
									search: (now) => ({ ...now, sort }),
									replace: true,
									resetScroll: false,
								})
							}
						/>
					</Section>
				))}
			</div>
			<div>
				<Sheet name={`${place.project}-${place.rev}-${key}-coverage.csv`} make={sheet} />
			</div>
		</>
	);
}

/** Operators that only other backends have, with the way to them. */
function Others({ count: others }: { count: number }) {
	const { place, key } = useBackend();
	return (
		<Link
			to="/p/$project/r/$rev/backends/$key/kernels"
			params={{ project: place.project, rev: place.rev, key }}
			search={{ show: "other" satisfies Outcome, generated: "exclude" }}
			className="target"
		>
			{count(others)} belong to other backends.
		</Link>
	);
}
