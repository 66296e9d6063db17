import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ApiError } from "../../api/problem";
import { apiPath, type MatrixView, matrixQuery } from "../../api/queries";
import { Button, Segments, Select } from "../../components/controls";
import { CoverageLink, KeyLink, OperatorLink, TopicLink } from "../../components/links";
import { RevisionBox } from "../../components/RevisionBox";
import { Card, Page, Section } from "../../components/Page";
import { ReasonMark } from "../../components/ReasonMark";
import { VerdictMark } from "../../components/VerdictMark";
import { SearchInput } from "../../components/SearchInput";
import { Async, Empty, ErrorView } from "../../components/States";
import { VirtualList } from "../../components/VirtualList";
import { useAt, usePlace } from "../../layout/place";
import {
	countedOnes,
	type Move,
	moves,
	standingAt,
	type Tally,
	tally,
	tallyBy,
	total,
	verdictIn,
} from "../../lib/coverage";
import { download } from "../../lib/download";
import { count, counted, percent } from "../../lib/format";
import { cellAt, columnOf, filtered, type MatrixOperator, sought } from "../../lib/matrix";
import { gapsPath, revisionPath, segment } from "../../nav";
import { type BackendSearch, STANDINGS } from "../../routes/backend";
import { GENERATED } from "../../routes/operators";
import styles from "./Backend.module.css";

const route = getRouteApi("/p/$project/r/$rev/backends/$key");

const SHOWN = {
	all: "All",
	direct: "Own kernels",
	inherited: "Work otherwise",
	missing: "Fail",
	unknown: "Unknown",
} as const;

/** One key: what has a kernel of its own there, what works otherwise, and what fails. */
export default function Backend() {
	const place = usePlace();
	const { key } = route.useParams();
	const matrix = useQuery(matrixQuery(place));
	const found = matrix.data?.keys.find((item) => item.key === key);
	return (
		<Page
			title={key}
			heading={<span className="mono target">{key}</span>}
			lead={found && lead(found)}
			actions={
				<>
					<TopicLink name={key}>What it is</TopicLink>
					<Link to={gapsPath(place, key)} className={styles.gaps}>
						Gap list
					</Link>
					<Csv at={key} />
				</>
			}
			api={apiPath(place, `/keys/${segment(key)}`)}
		>
			<Async query={matrix}>
				{(view) =>
					columnOf(view, key) < 0 ? <Unknown view={view} at={key} /> : <Body view={view} at={key} />
				}
			</Async>
		</Page>
	);
}

function lead({ functionality, backend }: { functionality: string; backend: string | null }) {
	return backend === null
		? `The functionality ${functionality}, which has no backends`
		: `${functionality} on ${backend}`;
}

function Unknown({ view, at }: { view: MatrixView; at: string }) {
	const near = view.keys.filter(({ key }) =>
		key.toLowerCase().includes(at.toLowerCase().slice(0, 3)),
	);
	return (
		<Empty title={`Release ${view.release} has no key ${at}`}>
			{near.length > 0 && <p>Did you mean one of these?</p>}
			<p className={styles.near}>
				{near.slice(0, 12).map(({ key }) => (
					<KeyLink key={key} name={key} />
				))}
			</p>
		</Empty>
	);
}

/** The whole key as a sheet. */
function Csv({ at }: { at: string }) {
	const place = usePlace();
	const [error, setError] = useState<unknown>();
	const take = async () => {
		setError(undefined);
		try {
			await download(
				apiPath(place, `/keys/${segment(at)}`),
				"text/csv",
				`${place.project}-${place.rev}-${at}.csv`,
			);
		} catch (failure) {
			setError(failure);
		}
	};
	return (
		<>
			<Button onClick={() => void take()}>Download CSV</Button>
			{error instanceof ApiError && <ErrorView error={error} retry={() => void take()} />}
		</>
	);
}

function Body({ view, at }: { view: MatrixView; at: string }) {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: BackendSearch, replace = false) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, ...change }),
			replace,
			resetScroll: false,
		});
	const column = columnOf(view, at);
	const { generated, show, q } = search;
	const operators = useMemo(() => filtered(view, { generated }), [view, generated]);
	const declared = useMemo(() => countedOnes(operators), [operators]);
	const counts = useMemo(() => tally(view, declared, column), [view, declared, column]);
	const shown = useMemo(() => {
		const fitting = operators.filter(
			(operator) => show === undefined || standingAt(view, operator, column) === show,
		);
		return sought(fitting, q);
	}, [view, operators, column, show, q]);
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
				{view.verdicts.keys.includes(at) && !view.verdicts.claimed.includes(at) && (
					<p className="muted">
						The kernels of {at} live outside PyTorch, so nothing is claimed about them. Give the
						backend&apos;s file or an observation with the revision.
					</p>
				)}
			</Card>
			<div className={styles.columns}>
				<Section title="Operators" note={counted(shown.length, "operator")}>
					<div className={styles.filters}>
						<Segments
							label="Standing"
							value={show ?? "all"}
							options={(["all", ...STANDINGS] as const).map((value) => ({
								value,
								label: SHOWN[value],
							}))}
							onChange={(value) => set({ show: value === "all" ? undefined : value })}
						/>
						<SearchInput
							label="Operator"
							placeholder="conv"
							value={q}
							onChange={(q) => set({ q }, true)}
						/>
						<Select
							label="Generated"
							value={generated ?? "include"}
							options={GENERATED.map((value) => ({ value, label: value }))}
							onChange={(value) =>
								set({
									generated: GENERATED.find((known) => known === value && known !== "include"),
								})
							}
						/>
					</div>
					<div className={styles.list}>
						{shown.length === 0 ? (
							<Empty title="No operators match these filters" />
						) : (
							<VirtualList
								label="Operators"
								itemKeys
								items={shown}
								estimate={30}
								keyOf={(operator) => operator.name}
								render={(operator) => {
									const cell = cellAt(view, operator, column);
									return (
										<div className={styles.row}>
											<Mark view={view} operator={operator} at={at} reason={cell.reason} />
											<OperatorLink name={operator.name} />
											<span className={styles.by}>{cell.alias ?? cell.reason}</span>
										</div>
									);
								}}
							/>
						)}
					</div>
				</Section>
				<div className={styles.side}>
					<Breakdown
						title="By namespace"
						groups={tallyBy(view, declared, column, ({ namespace }) => namespace)}
					/>
					<Breakdown
						title="By Python module"
						groups={tallyBy(
							view,
							declared,
							column,
							(operator) => operator.python_module ?? "none",
						)}
					/>
				</div>
			</div>
			<Against
				view={view}
				at={at}
				against={search.against}
				onChange={(against) => set({ against })}
			/>
		</>
	);
}

interface MarkProps {
	view: MatrixView;
	operator: MatrixOperator;
	at: string;
	reason: string;
}

/** The verdict of an operator on the key of a backend; on other keys the reason of its cell. */
function Mark({ view, operator, at, reason }: MarkProps) {
	const verdict = verdictIn(view, operator, at);
	return verdict ? <VerdictMark verdict={verdict.name} /> : <ReasonMark reason={reason} />;
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

interface AgainstProps {
	view: MatrixView;
	at: string;
	against: string | undefined;
	onChange: (against: string | undefined) => void;
}

/** What the key gained and lost against another revision. */
function Against({ view, at, against, onChange }: AgainstProps) {
	const place = usePlace();
	const other = { project: place.project, rev: against ?? "" };
	const named = useAt(against === undefined ? undefined : other);
	const before = useQuery({
		...matrixQuery(named.at ?? { project: "", digest: "" }),
		enabled: named.at !== undefined,
	});
	return (
		<Section title="Gained and lost" note="compared with another revision">
			<div>
				<RevisionBox
					label="Before"
					any="choose a revision"
					project={place.project}
					value={against}
					onChange={onChange}
				/>
			</div>
			{named.error && <ErrorView error={named.error} retry={() => void named.refetch()} />}
			{against !== undefined && !named.error && (
				<Async query={before}>
					{(old) => {
						const { gained, lost } = moves(old, view, at);
						return (
							<div className={styles.moves}>
								<Moves title="Gained" moves={gained} />
								<Moves title="Lost" moves={lost} before={other} />
							</div>
						);
					}}
				</Async>
			)}
		</Section>
	);
}

const WORDS = {
	absent: "operator does not exist",
	direct: "own kernel",
	inherited: "works otherwise",
	missing: "fails",
	unknown: "unknown",
};

function Moves({
	title,
	moves,
	before,
}: {
	title: string;
	moves: Move[];
	before?: { project: string; rev: string };
}) {
	return (
		<Card>
			<h3>
				{title} {count(moves.length)}
			</h3>
			{moves.length === 0 ? (
				<p className="muted">Nothing.</p>
			) : (
				<ul className={styles.moved}>
					{moves.map((move) => (
						<li key={move.name}>
							{move.now === "absent" && before ? (
								<Link
									to={revisionPath(before, `/operators/${segment(move.name)}`)}
									className="mono target"
								>
									{move.name}
								</Link>
							) : (
								<OperatorLink name={move.name} />
							)}
							<span className="muted">
								{WORDS[move.before]} → {WORDS[move.now]}
							</span>
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}
