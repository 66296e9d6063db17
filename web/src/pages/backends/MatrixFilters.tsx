import { useMemo } from "react";
import type { MatrixView } from "../../api/queries";
import { Button, Select } from "../../components/controls";
import { FoldedFilters } from "../../components/Filters";
import { SearchInput } from "../../components/SearchInput";
import { count } from "../../lib/format";
import { facet, type MatrixOperator } from "../../lib/matrix";
import { isReason, REASONS } from "../../lib/reasons";
import { type BackendsSearch, COLUMN_ORDERS, ROW_ORDERS } from "../../routes/backends";
import { GENERATED, KINDS } from "../../routes/operators";
import styles from "./Backends.module.css";

interface Props {
	view: MatrixView;
	search: BackendsSearch;
	onChange: (change: BackendsSearch, replace?: boolean) => void;
}

const ROWS = {
	file: "as in the file",
	name: "by name",
	most: "most covered first",
	least: "least covered first",
} as const;
const COLUMNS = {
	table: "as in the table",
	most: "most covered first",
	least: "least covered first",
} as const;
const OF_GENERATED = { include: "included", only: "only", exclude: "left out" } as const;
const NOTHING: BackendsSearch = {
	q: undefined,
	namespace: undefined,
	kind: undefined,
	tag: undefined,
	generated: undefined,
	key: undefined,
	reason: undefined,
};

/** How many filters are set. */
const countSet = (search: BackendsSearch): number =>
	Object.keys(NOTHING).filter((name) => search[name as keyof BackendsSearch] !== undefined).length;

/** Which rows and columns of the matrix are shown, and how they are ordered. */
export function MatrixFilters({ view, search, onChange }: Props) {
	const options = useMemo(() => {
		const of = (values: (operator: MatrixOperator) => readonly (string | null)[]) =>
			facet(view.operators, values).map(({ value, count: n }) => ({
				value,
				label: `${value} (${count(n)})`,
			}));
		const many = new Map<string, number>();
		for (const { functionality } of view.keys) {
			many.set(functionality, (many.get(functionality) ?? 0) + 1);
		}
		return {
			namespace: of((operator) => [operator.namespace]),
			kind: of((operator) => [operator.kind]),
			tag: of((operator) => operator.tags),
			key: view.keys.map(({ key }) => ({ value: key, label: key })),
			columns: [
				{ value: "all", label: `all ${view.keys.length} keys` },
				...[...many]
					.filter(([, keys]) => keys > 1)
					.map(([value, keys]) => ({ value, label: `${value} (${keys})` })),
			],
		};
	}, [view]);
	const isFiltered = countSet(search) > 0;
	return (
		<search className={styles.filters} aria-label="Filters">
			<SearchInput
				label="Operator"
				placeholder="conv"
				value={search.q}
				onChange={(q) => onChange({ q }, true)}
			/>
			<FoldedFilters set={countSet(search)}>
				<Select
					label="Columns"
					value={search.columns ?? "Dense"}
					options={options.columns}
					onChange={(columns) => onChange({ columns: columns === "Dense" ? undefined : columns })}
				/>
				<Select
					label="Order of rows"
					value={search.rows ?? "file"}
					options={ROW_ORDERS.map((value) => ({ value, label: ROWS[value] }))}
					onChange={(rows) =>
						onChange({ rows: ROW_ORDERS.find((known) => known === rows && known !== "file") })
					}
				/>
				<Select
					label="Order of columns"
					value={search.order ?? "table"}
					options={COLUMN_ORDERS.map((value) => ({ value, label: COLUMNS[value] }))}
					onChange={(order) =>
						onChange({ order: COLUMN_ORDERS.find((known) => known === order && known !== "table") })
					}
				/>
				<Select
					label="Namespace"
					any="any"
					value={search.namespace}
					options={options.namespace}
					onChange={(namespace) => onChange({ namespace })}
				/>
				<Select
					label="Kind"
					any="any"
					value={search.kind}
					options={options.kind}
					onChange={(kind) => onChange({ kind: KINDS.find((known) => known === kind) })}
				/>
				<Select
					label="Tag"
					any="any"
					value={search.tag}
					options={options.tag}
					onChange={(tag) => onChange({ tag })}
				/>
				<Select
					label="Generated"
					value={search.generated ?? "include"}
					options={GENERATED.map((value) => ({ value, label: OF_GENERATED[value] }))}
					onChange={(value) =>
						onChange({ generated: GENERATED.find((known) => known === value && known !== "include") })
					}
				/>
				<Select
					label="Filter by key"
					any="any key"
					value={search.key}
					options={options.key}
					onChange={(key) => onChange({ key, reason: key === undefined ? undefined : search.reason })}
				/>
				{search.key !== undefined && (
					<Select
						label="have"
						value={search.reason ?? "kernel"}
						options={REASONS.map(({ name, short }) => ({ value: name, label: short }))}
						onChange={(value) => onChange({ reason: value && isReason(value) ? value : undefined })}
					/>
				)}
			</FoldedFilters>
			{isFiltered && <Button onClick={() => onChange(NOTHING)}>Clear filters</Button>}
		</search>
	);
}
