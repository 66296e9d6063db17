/** A field as RFC 4180 writes it. */
const field = (value: string | number): string => {
	const text = String(value);
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows as a file of comma-separated values. */
export const csvOf = (rows: readonly (readonly (string | number)[])[]): Blob =>
	new Blob([textOf(rows)], { type: "text/csv" });

/** Rows as comma-separated values. */
export const textOf = (rows: readonly (readonly (string | number)[])[]): string =>
	rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
