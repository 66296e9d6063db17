/** By what rows are sorted. */
export interface Sorting {
	id: string;
	desc: boolean;
}

/**
 * How an address says by what rows are sorted: the column, with `-` before it if the largest is
 * first. Columns that are not there sort nothing.
 */
export function sortingOf(
	sort: string | undefined,
	columns: readonly { readonly id: string }[],
): Sorting[] {
	if (sort === undefined) return [];
	const desc = sort.startsWith("-");
	const id = desc ? sort.slice(1) : sort;
	return columns.some((column) => column.id === id) ? [{ id, desc }] : [];
}

/** What the address says; nothing where rows stay as they came. */
export function sortOf([first]: readonly Sorting[]): string | undefined {
	return first && (first.desc ? `-${first.id}` : first.id);
}
