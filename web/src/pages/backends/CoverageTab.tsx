import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { CoverageLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { VerdictMark } from "../../components/VerdictMark";
import { countedOnes, type Tally, tally, tallyBy, total, verdictIn } from "../../lib/coverage";
import { csvOf } from "../../lib/csv";
import { count, counted, percent } from "../../lib/format";
import type { MatrixOperator } from "../../lib/matrix";
import { VERDICTS } from "../../lib/verdicts";
import styles from "./Backend.module.css";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";

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
	const verdicts = useMemo(() => byVerdict(declared, (one) => verdictIn(view, one, key)?.name), [
		view,
		declared,
		key,
	]);
	const sheet = () =>
		csvOf([
			["group", "name", "own", "otherwise", "fail", "unknown"],
			...groups.flatMap(([title, of]) =>
				of.map(([name, { direct, inherited, missing, unknown }]) => [
					title,
					name,
					direct,
					inherited,
					missing,
					unknown,
				]),
			),
		]);
	return (
		<>
			<Card>
				<div className={styles.numbers}>
					<Figure of={counts.direct} all={total(counts)} label="own kernels" part="direct" />
					<Figure
						of={counts.inherited}
						all={total(counts)}
						label="work otherwise"
						part="inherited"
					/>
					<Figure of={counts.missing} all={total(counts)} label="fail" part="missing" />
					<Figure of={counts.unknown} all={total(counts)} label="unknown" part="unknown" />
				</div>
				<Bar counts={counts} />
				<p className="muted">
					{counted(declared.length, declared[0]?.generated ? "generated operator" : "operator")}{" "}
					counted{declared[0]?.generated ? "" : ", without generated ones"}. <CoverageLink />
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
					<section className={styles.scroll} tabIndex={0} aria-label="By verdict, counts">
						<table className={styles.table}>
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
												search={{ verdict: name, generated: "exclude" }}
												className="target"
											>
												<VerdictMark verdict={name} label />
											</Link>
										</th>
										<td>{count(of)}</td>
										<td>{percent(of, declared.length)}</td>
									</tr>
								))}
							</tbody>
						</table>
					</section>
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

interface NumberProps {
	of: number;
	all: number;
	label: string;
	part: keyof Tally;
}

function Figure({ of, all, label, part }: NumberProps) {
	return (
		<div className={styles.number} data-part={part}>
			<strong>{count(of)}</strong>
			<span>
				{label}, {percent(of, all)}
			</span>
		</div>
	);
}

function Bar({ counts }: { counts: Tally }) {
	const share = (part: number) => ({ width: `${(part / Math.max(1, total(counts))) * 100}%` });
	return (
		<span className={styles.bar} aria-hidden="true">
			<span data-part="direct" style={share(counts.direct)} />
			<span data-part="inherited" style={share(counts.inherited)} />
		</span>
	);
}

function Breakdown({ title, groups }: { title: string; groups: readonly [string, Tally][] }) {
	return (
		<Section title={title}>
			<section className={styles.scroll} tabIndex={0} aria-label={`${title}, counts`}>
				<table className={styles.table}>
					<thead>
						<tr>
							<th scope="col">Name</th>
							<th scope="col">Own</th>
							<th scope="col">Otherwise</th>
							<th scope="col">Fail</th>
							<th scope="col">Unknown</th>
						</tr>
					</thead>
					<tbody>
						{groups.map(([name, counts]) => (
							<tr key={name}>
								<th scope="row">
									{name}
									<Bar counts={counts} />
								</th>
								<td>{count(counts.direct)}</td>
								<td>{count(counts.inherited)}</td>
								<td>{count(counts.missing)}</td>
								<td>{count(counts.unknown)}</td>
							</tr>
						))}
					</tbody>
				</table>
			</section>
		</Section>
	);
}
