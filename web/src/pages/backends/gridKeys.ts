export interface Cell {
	row: number;
	column: number;
}

/** How many rows the page keys move. */
const PAGE = 20;

/** Where a key moves the active cell to; nowhere for other keys. */
export function target(
	key: string,
	ctrl: boolean,
	{ row, column }: Cell,
	rows: number,
	columns: number,
): Cell | undefined {
	const moved: Record<string, Cell> = {
		ArrowDown: { row: row + 1, column },
		ArrowUp: { row: row - 1, column },
		ArrowRight: { row, column: column + 1 },
		ArrowLeft: { row, column: column - 1 },
		PageDown: { row: row + PAGE, column },
		PageUp: { row: row - PAGE, column },
		Home: { row: ctrl ? 0 : row, column: 0 },
		End: { row: ctrl ? rows - 1 : row, column: columns - 1 },
	};
	const to = moved[key];
	return (
		to && {
			row: Math.max(0, Math.min(rows - 1, to.row)),
			column: Math.max(0, Math.min(columns - 1, to.column)),
		}
	);
}
