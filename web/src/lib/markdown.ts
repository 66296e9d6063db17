/** A cell of a table in Markdown: nothing in it ends the cell or is markup. */
const cell = (value: string | number): string =>
	String(value)
		.replace(/[\\|`*_<>[\]~&]/g, "\\$&")
		.replace(/\s+/g, " ");

/** Rows as a table in Markdown, the first as its head. */
export function tableOf(rows: readonly (readonly (string | number)[])[]): string {
	const [head = [], ...rest] = rows;
	const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
	const rule = line(head.map(() => "---"));
	return line(head.map(cell)) + rule + rest.map((row) => line(row.map(cell))).join("");
}

/** Rows as a file in Markdown. */
export const markdownOf = (rows: readonly (readonly (string | number)[])[]): Blob =>
	new Blob([tableOf(rows)], { type: "text/markdown" });
