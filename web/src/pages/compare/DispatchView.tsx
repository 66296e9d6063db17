import { Link, useRouterState } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Button } from "../../components/controls";
import { ReasonMark } from "../../components/ReasonMark";
import { type Column, SortedTable } from "../../components/SortedTable";
import { Empty } from "../../components/States";
import { VerdictMark } from "../../components/VerdictMark";
import { VirtualList } from "../../components/VirtualList";
import {
	type Cell,
	type Comparison,
	type DispatchChange,
	TURNS,
	turnOf,
	turnsByKey,
} from "../../lib/comparison";
import { count, counted } from "../../lib/format";
import { withMark } from "../../lib/sides";
import { operatorPath } from "../../nav";
import type { ComparisonSearch } from "../../routes/compare";
import styles from "./DispatchView.module.css";

interface Props {
	comparison: Comparison;
	/** The changes that pass the filters. */
	changes: readonly DispatchChange[];
	search: ComparisonSearch;
	set: (change: ComparisonSearch) => void;
}

/** How many keys are listed at first. */
const SHOWN = 12;

/** What follows for every backend: who lost and gained what, and each cell that changed. */
export function DispatchView({ comparison, changes, search, set }: Props) {
	const { turn } = search;
	const shown = useMemo(
		() => (turn === undefined ? changes : changes.filter((change) => turnOf(change) === turn)),
		[changes, turn],
	);
	const rules = useMemo(
		() => new Map(comparison.changes.map(({ fingerprint, rule }) => [fingerprint, rule])),
		[comparison],
	);
	if (comparison.dispatch_changes.length === 0) {
		return <Empty title="No dispatch tables changed" />;
	}
	return (
		<div className={styles.view}>
			<p className="muted">
				{comparison.dispatch_source === "files"
					? "From the files only, because hand-written registrations are known for one side at most."
					: "From the files and the recorded hand-written registrations of both releases."}
			</p>
			<ByKey changes={changes} search={search} set={set} />
			{shown.length === 0 ? (
				<Empty title="No tables match these filters" />
			) : (
				<>
					<p role="status">
						<strong>{count(shown.length)}</strong>{" "}
						{shown.length === 1 ? "group of cells" : "groups of cells"} changed alike
						{search.backend && ` at ${search.backend}`}
						{turn && `: ${TURNS.find(({ id }) => id === turn)?.title.toLowerCase()}`}.
					</p>
					<div className={styles.list}>
						<VirtualList
							label="Changed cells"
							items={shown}
							estimate={72}
							itemKeys
							keyOf={(change, at) => `${at} ${change.operator}`}
							render={(change) => (
								<Row change={change} comparison={comparison} rule={rules.get(change.cause ?? "")} />
							)}
						/>
					</div>
				</>
			)}
		</div>
	);
}

type KeyTurns = ReturnType<typeof turnsByKey>[number];

function ByKey({ changes, search, set }: Omit<Props, "comparison">) {
	const { backend, turn, sort } = search;
	const [all, setAll] = useState(false);
	const keys = useMemo(() => {
		const rows = turnsByKey(changes);
		return backend === undefined ? rows : rows.filter(({ key }) => key === backend);
	}, [changes, backend]);
	const columns: Column<KeyTurns>[] = [
		{
			id: "key",
			title: "Key",
			value: ({ key }) => key,
			show: ({ key }) => (
				<button
					type="button"
					className={styles.key}
					aria-pressed={backend === key}
					onClick={() => set({ backend: backend === key ? undefined : key, turn: undefined })}
				>
					{key}
				</button>
			),
		},
		...TURNS.map(({ id, title, meaning }) => ({
			id,
			title,
			meaning,
			value: ({ turns }: KeyTurns) => turns[id],
			show: ({ key, turns }: KeyTurns) =>
				turns[id] === 0 ? (
					<span className="muted">0</span>
				) : (
					<button
						type="button"
						data-turn={id}
						className={styles.turn}
						aria-pressed={backend === key && turn === id}
						aria-label={`${title} at ${key}: ${counted(turns[id], "group")}`}
						onClick={() => set({ backend: key, turn: id })}
					>
						{count(turns[id])}
					</button>
				),
		})),
	];
	// What is sorted is sorted as a whole, not the first few.
	const shown = all || sort !== undefined ? keys : keys.slice(0, SHOWN);
	return (
		<div>
			<SortedTable
				label="Changes by key"
				columns={columns}
				rows={shown}
				keyOf={({ key }) => key}
				sort={sort}
				onSort={(sort) => set({ sort })}
				tall
			/>
			{keys.length > SHOWN && sort === undefined && (
				<p className={styles.more}>
					<Button aria-expanded={all} onClick={() => setAll(!all)}>
						{all ? "Fewer keys" : `All ${count(keys.length)} keys`}
					</Button>
				</p>
			)}
		</div>
	);
}

interface RowProps {
	change: DispatchChange;
	comparison: Comparison;
	/** The rule of the change that it follows from. */
	rule: string | undefined;
}

function Row({ change, comparison, rule }: RowProps) {
	const { operator, keys, before, after, cause } = change;
	const turn = TURNS.find(({ id }) => id === turnOf(change));
	const hash = useRouterState({ select: (state) => state.location.hash });
	const { project, label, revision } = comparison.head;
	return (
		<div className={styles.row}>
			<div className={styles.what}>
				{project ? (
					<Link
						to={operatorPath({ project, rev: label ?? revision }, operator)}
						hash="dispatch"
						className="mono target"
					>
						{operator}
					</Link>
				) : (
					<code>{operator}</code>
				)}
				<strong data-turn={turn?.id}>{turn?.title}</strong>
				{cause && rule && (
					<span className="muted">
						follows from{" "}
						<Link
							className="target"
							to="."
							search={(old: object) => ({ ...old, view: undefined })}
							hash={withMark(hash, cause)}
						>
							{rule}
						</Link>
					</span>
				)}
			</div>
			<div className={styles.cells}>
				<Served cell={before} /> <span aria-hidden="true">→</span>{" "}
				<span className="visually-hidden">became</span> <Served cell={after} />
			</div>
			<p className={styles.names}>{keys.join(", ")}</p>
		</div>
	);
}

function Served({ cell: { verdict, reason, kernel, source_key } }: { cell: Cell }) {
	return (
		<span>
			{verdict && <VerdictMark verdict={verdict} />} <ReasonMark reason={reason} label />
			{kernel && (
				<>
					{" "}
					<code>{kernel}</code>
				</>
			)}
			{source_key && <span className="muted"> by {source_key}</span>}
		</span>
	);
}
