import { useMemo } from "react";
import type { TableView } from "../../api/queries";
import { apiPath } from "../../api/queries";
import { ButtonLink, Segments, Select } from "../../components/controls";
import { Section } from "../../components/Page";
import { Legend } from "../../components/ReasonMark";
import { usePlace } from "../../layout/place";
import { fold, toggled } from "../../lib/dispatch";
import { list, stringify } from "../../lib/search";
import { segment } from "../../nav";
import type { OperatorSearch } from "../../routes/operator";
import { ExplanationPanel, type Remedy } from "./ExplanationPanel";
import { FoldedTable } from "./FoldedTable";
import { GridTable } from "./GridTable";
import styles from "./Operator.module.css";

interface Props {
	operator: string;
	view: TableView;
	search: OperatorSearch;
	/** Whether the chosen key is explained here. */
	isExplained: boolean;
	onChange: (change: OperatorSearch) => void;
}

const BUILDS = [
	{ value: "linux-cuda", label: "Linux, CUDA" },
	{ value: "cpu", label: "CPU only" },
	{ value: "macos", label: "macOS" },
];

/** The dispatch table, as folded rows or as a grid, with the explanation of one cell beside it. */
export function DispatchSection({ operator, view, search, isExplained, onChange }: Props) {
	const place = usePlace();
	const rows = useMemo(() => fold(view.table), [view]);
	const { key, build, source } = search;
	const chosen = isExplained ? view.table.find((entry) => entry.key === key) : undefined;
	const onKey = (next: string) => onChange({ key: next === key ? undefined : next });
	const data = `/operators/${segment(operator)}/dispatch${stringify({ build, source })}`;
	return (
		<Section
			id="dispatch"
			title="Dispatch table"
			note={`${view.table.length} keys in ${rows.length} rows; select a key for details`}
			actions={<ButtonLink href={apiPath(place, data)}>As data</ButtonLink>}
		>
			<div className={styles.toolbar}>
				<Segments
					label="Layout"
					value={search.table ?? "rows"}
					options={[
						{ value: "rows", label: "Rows" },
						{ value: "grid", label: "Functionality × backend" },
					]}
					onChange={(table) => onChange({ table: table === "grid" ? "grid" : undefined })}
				/>
				<Select
					label="Build"
					any="everything declared"
					value={build}
					options={BUILDS}
					onChange={(build) => onChange({ build })}
				/>
				<Select
					label="Registrations"
					any="all known"
					value={source}
					options={[{ value: "files", label: "files only" }]}
					onChange={(source) => onChange({ source: source === "files" ? "files" : undefined })}
				/>
			</div>
			{view.notes.map((note) => (
				<p key={note} className="muted">
					{note}
				</p>
			))}
			<div className={styles.dispatch} data-open={chosen !== undefined || undefined}>
				<div className={styles.dispatchTable}>
					{search.table === "grid" ? (
						<GridTable table={view.table} chosen={key} onKey={onKey} />
					) : (
						<FoldedTable rows={rows} chosen={key} onKey={onKey} />
					)}
				</div>
				{chosen && (
					<ExplanationPanel
						operator={operator}
						at={chosen.key}
						build={build}
						source={source}
						onClose={() => onChange({ key: undefined })}
						onTry={(remedy) => onChange(trial(search, remedy))}
					/>
				)}
			</div>
			<Legend />
		</Section>
	);
}

/** The what-if that a remedy amounts to. */
export function trial(search: OperatorSearch, { edit, keys }: Remedy): OperatorSearch {
	const name = edit === "register" ? "with" : "without";
	let items = list(search[name]);
	for (const key of keys) items = list(toggled(items, key, true));
	return { [name]: items.join(",") };
}
