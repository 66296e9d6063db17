import { useCallback, useMemo } from "react";
import type { MatrixView } from "../../api/queries";
import { Button, Segments, Select } from "../../components/controls";
import { FacetSelects, GeneratedSelect, KeySelects, WaySelects } from "../../components/Facets";
import { FilterBar, FoldedFilters } from "../../components/Filters";
import { SearchInput } from "../../components/SearchInput";
import { facet } from "../../lib/matrix";
import { type BackendsSearch, COLUMN_ORDERS, ROW_ORDERS } from "../../routes/backends";

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
const NOTHING: BackendsSearch = {
	q: undefined,
	namespace: undefined,
	kind: undefined,
	tag: undefined,
	generated: undefined,
	key: undefined,
	reason: undefined,
	way: undefined,
	fate: undefined,
};

/** What belongs to one set of columns only. */
const OF_COLUMNS: BackendsSearch = {
	columns: undefined,
	key: undefined,
	reason: undefined,
	way: undefined,
	fate: undefined,
	cell: undefined,
};

/** How many filters are set. */
const countSet = (search: BackendsSearch): number =>
	Object.keys(NOTHING).filter((name) => search[name as keyof BackendsSearch] !== undefined).length;

/** Which rows and columns of the matrix are shown, and how they are ordered. */
export function MatrixFilters({ view, search, onChange }: Props) {
	const counts = useCallback(
		(values: Parameters<typeof facet>[1]) => facet(view.operators, values),
		[view],
	);
	const columns = useMemo(() => {
		const many = new Map<string, number>();
		for (const { functionality } of view.keys) {
			many.set(functionality, (many.get(functionality) ?? 0) + 1);
		}
		return [
			{ value: "all", label: `all ${view.keys.length} keys` },
			...[...many]
				.filter(([, keys]) => keys > 1)
				.map(([value, keys]) => ({ value, label: `${value} (${keys})` })),
		];
	}, [view]);
	const isFiltered = countSet(search) > 0;
	const isOfWays = search.show === "ways";
	return (
		<FilterBar>
			<div>
				<Segments
					label="Columns are"
					value={search.show ?? "backends"}
					options={[
						{ value: "backends", label: "Backends" },
						{ value: "ways", label: "Ways" },
					]}
					onChange={(show) =>
						onChange({ ...OF_COLUMNS, show: show === "ways" ? "ways" : undefined })
					}
				/>
			</div>
			<SearchInput
				label="Operator"
				placeholder="conv"
				value={search.q}
				onChange={(q) => onChange({ q }, true)}
			/>
			<FoldedFilters set={countSet(search)}>
				{!isOfWays && (
					<Select
						label="Columns"
						value={search.columns ?? "Dense"}
						options={columns}
						onChange={(columns) => onChange({ columns: columns === "Dense" ? undefined : columns })}
					/>
				)}
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
				<FacetSelects
					of={["namespace", "kind", "tag"]}
					counts={counts}
					search={search}
					set={onChange}
				/>
				<GeneratedSelect value={search.generated} set={onChange} />
				{isOfWays ? (
					<WaySelects view={view} search={search} set={onChange} />
				) : (
					<KeySelects keys={view.keys} search={search} set={onChange} />
				)}
			</FoldedFilters>
			{isFiltered && <Button onClick={() => onChange(NOTHING)}>Clear filters</Button>}
		</FilterBar>
	);
}
