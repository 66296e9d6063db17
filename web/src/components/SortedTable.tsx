import {
	type ColumnDef,
	flexRender,
	getCoreRowModel,
	getSortedRowModel,
	type SortingState,
	useReactTable,
} from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
import { sortingOf, sortOf } from "../lib/sorting";
import { Table } from "./Table";
import styles from "./Table.module.css";

export interface Column<T> {
	/** What it is called in the address. */
	id: string;
	title: string;
	/** What it means, for whoever points at it. */
	meaning?: string;
	/** What rows are sorted by. */
	value: (row: T) => number | string;
	/** What is shown, where that is not the value. */
	show?: (row: T) => ReactNode;
}

interface Props<T> {
	label: string;
	columns: readonly Column<T>[];
	rows: readonly T[];
	keyOf: (row: T) => string;
	/** The column that rows are sorted by, with `-` before it if the largest is first. */
	sort: string | undefined;
	onSort: (sort: string | undefined) => void;
	tall?: boolean;
}

const GLYPHS = { asc: "▲", desc: "▼" } as const;
const SORTED = { asc: "ascending", desc: "descending" } as const;

/**
 * A table whose columns sort its rows: numbers the largest first, then the smallest, then as they
 * came. The first column names the row. Which column sorts is the caller's, who keeps it in the
 * address.
 */
export function SortedTable<T>({ label, columns, rows, keyOf, sort, onSort, tall }: Props<T>) {
	const sorting = useMemo(() => sortingOf(sort, columns), [sort, columns]);
	const table = useReactTable({
		data: rows as T[],
		columns: useMemo(() => columns.map(definition), [columns]),
		state: { sorting },
		getRowId: keyOf,
		getCoreRowModel: getCoreRowModel(),
		getSortedRowModel: getSortedRowModel(),
		onSortingChange: (change) => {
			const next: SortingState = typeof change === "function" ? change(sorting) : change;
			onSort(sortOf(next));
		},
	});
	return (
		<Table label={label} numbers {...(tall ? { tall } : {})}>
			<thead>
				<tr>
					{table.getFlatHeaders().map(({ id, column, getContext }, at) => {
						const sorted = column.getIsSorted();
						return (
							<th key={id} scope="col" aria-sort={sorted ? SORTED[sorted] : undefined}>
								<button
									type="button"
									className={styles.sort}
									title={columns[at]?.meaning}
									onClick={column.getToggleSortingHandler()}
								>
									{flexRender(column.columnDef.header, getContext())}
									<span aria-hidden="true" className={styles.arrow}>
										{sorted ? GLYPHS[sorted] : ""}
									</span>
								</button>
							</th>
						);
					})}
				</tr>
			</thead>
			<tbody>
				{table.getRowModel().rows.map((row) => (
					<tr key={row.id}>
						{row.getVisibleCells().map(({ id, column, getContext }, at) => {
							const shown = flexRender(column.columnDef.cell, getContext());
							return at === 0 ? (
								<th key={id} scope="row">
									{shown}
								</th>
							) : (
								<td key={id}>{shown}</td>
							);
						})}
					</tr>
				))}
			</tbody>
		</Table>
	);
}

function definition<T>({ id, title, value, show }: Column<T>): ColumnDef<T> {
	return {
		id,
		header: title,
		accessorFn: value,
		cell: ({ row, getValue }) => show?.(row.original) ?? getValue<ReactNode>(),
		sortingFn: "basic",
		sortUndefined: "last",
	};
}
