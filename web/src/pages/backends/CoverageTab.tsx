import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { CoverageLink } from "../../components/links";
import { Figures, Meter } from "../../components/Meter";
import { Card, Section } from "../../components/Page";
import { type Column, SortedTable } from "../../components/SortedTable";
import { Table } from "../../components/Table";
import { VerdictMark } from "../../components/VerdictMark";
import {
	countedOnes,
	standingAt,
	type Tally,
	tally,
	tallyBy,
	total,
	verdictIn,
} from "../../lib/coverage";
import { csvOf } from "../../lib/csv";
import { count, counted, percent } from "../../lib/format";
import type { MatrixOperator } from "../../lib/matrix";
import { VERDICTS } from "../../lib/verdicts";
import styles from "./Backend.module.css";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";

const route = getRouteApi("/p/$project/r/$rev/backends/$key/");

/** How much of a key works, by verdict, namespace and Python module. */
export default function CoverageTab() {
	const { place, key, view, column } = useBackend();
	const declared = useMemo(() => countedOnes(view.operators), [view]);
	const counts = useMemo(() => tally(view, declared, column), [view, declared, column]);
	const groups = [
		["By namespace", tallyBy(view, declared, column, ({ namespace }) => namespace)],
		[
			"By Python module",
			tallyBy(view, declared, column, (operator) => operator.python_module ?? "none"),
		],
	] as const;
	const applicable = useMemo(
		() => declared.filter((one) => standingAt(view, one, column) !== "other"),
		[view, declared, column],
	);
	const verdicts = useMemo(
		() => byVerdict(applicable, (one) => verdictIn(view, one, key)?.name),
		[view, applicable, key],
	);
	const worksOf = (name: string) =>
		view.verdicts.legend.find(({ verdict }) => verdict === name)?.works;
	const sheet = () =>
		csvOf([
			["group", "name", "own", "otherwise", "fail", "unknown", "other backends"],
			...groups.flatMap(([title, of]) =>
				of.map(([name, { direct, inherited, missing, unknown, other }]) => [
					title,
					name,
					direct,
					inherited,
					missing,
					unknown,
					other,
				]),
			),
		]);
	return (
		<>
			<Card>
				<Figures
					items={PARTS.map(({ part, label }) => ({
						part,
						count: counts[part],
						label: `${label}, ${percent(counts[part], total(counts))}`,
					}))}
				/>
				<Standings counts={counts} thick />
				<p className="muted">
					{counted(applicable.length, declared[0]?.generated ? "generated operator" : "operator")}{" "}
					counted{declared[0]?.generated ? "" : ", without generated ones"}.{" "}
					{counts.other > 0 && <Others count={counts.other} />} <CoverageLink />
				</p>
				{view.verdicts.keys.includes(key) && !view.verdicts.claimed.includes(key) && (
					<p className="muted">
						The kernels of {key} live outside PyTorch, so nothing is claimed about them. Give the
						backend&apos;s file or an observation with the revision.
					</p>
				)}
			</Card>
			{verdicts.length > 0 && (
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
							{verdicts.map(({ name, of }) => (
								<tr key={name}>
									<th scope="row">
										<Link
											to="/p/$project/r/$rev/backends/$key/kernels"
											params={{ project: place.project, rev: place.rev, key }}
											search={{
												verdict: name,
												show: worksOf(name) === "no" ? "missing" : undefined,
												generated: "exclude",
											}}
											className="target"
										>
											<VerdictMark verdict={name} label />
										</Link>
									</th>
									<td>{count(of)}</td>
									<td>{percent(of, applicable.length)}</td>
								</tr>
							))}
						</tbody>
					</Table>
				</Section>
			)}
			<div className={styles.pair}>
				{groups.map(([title, of]) => (
					<Breakdown key={title} title={title} groups={of} />
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
			search={{ show: "other", generated: "exclude" }}
			className="target"
		>
			{count(others)} belong to other backends.
		</Link>
	);
}

/** How many operators have each verdict; nothing on keys that have none. */
function byVerdict(
	operators: readonly MatrixOperator[],
	verdictOf: (operator: MatrixOperator) => string | undefined,
) {
	const found = new Map<string, number>();
	for (const operator of operators) {
		const verdict = verdictOf(operator);
		if (verdict !== undefined) found.set(verdict, (found.get(verdict) ?? 0) + 1);
	}
	return VERDICTS.flatMap(({ name }) => {
		const of = found.get(name);
		return of === undefined ? [] : [{ name, of }];
	});
}

/** The standings in their order, with what they are called in figures and in columns. */
const PARTS = [
	{ part: "direct", label: "own kernels", title: "Own" },
	{ part: "inherited", label: "work otherwise", title: "Otherwise" },
	{ part: "missing", label: "fail", title: "Fail" },
	{ part: "unknown", label: "unknown", title: "Unknown" },
] as const;

/** A bar of what works, by a kernel of its own or otherwise. */
function Standings({ counts, thick = false }: { counts: Tally; thick?: boolean }) {
	const parts = PARTS.map(({ part }) => ({ part, count: counts[part] }));
	return <Meter parts={parts} of={total(counts)} thick={thick} />;
}

type Row = readonly [string, Tally];

const COLUMNS: readonly Column<Row>[] = [
	{
		id: "name",
		title: "Name",
		value: ([name]) => name,
		show: ([name, counts]) => (
			<>
				{name}
				<Standings counts={counts} />
			</>
		),
	},
	...PARTS.map(({ part, label, title }) => ({
		id: part,
		title,
		meaning: label,
		value: ([, counts]: Row) => counts[part],
		show: ([, counts]: Row) => count(counts[part]),
	})),
];

function Breakdown({ title, groups }: { title: string; groups: readonly Row[] }) {
	const { sort } = route.useSearch();
	const navigate = route.useNavigate();
	return (
		<Section title={title}>
			<SortedTable
				label={`${title}, counts`}
				columns={COLUMNS}
				rows={groups}
				keyOf={([name]) => name}
				sort={sort}
				onSort={(sort) =>
					void navigate({ search: (now) => ({ ...now, sort }), replace: true, resetScroll: false })
				}
				tall
			/>
		</Section>
	);
}
