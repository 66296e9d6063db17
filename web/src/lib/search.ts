/** Readers of search parameters: each gives a valid value or `undefined`, never an error. */
export type Raw = Record<string, unknown>;

/** A text that is not empty. */
export function text(raw: Raw, name: string): string | undefined {
	const value = raw[name];
	return typeof value === "string" && value !== "" ? value.slice(0, 2000) : undefined;
}

/** One of a closed set. */
export function oneOf<T extends string>(
	raw: Raw,
	name: string,
	values: readonly T[],
): T | undefined {
	return values.find((value) => value === raw[name]);
}

/** `true` or `false`. */
export function flag(raw: Raw, name: string): boolean | undefined {
	if (raw[name] === "true" || raw[name] === true) return true;
	if (raw[name] === "false" || raw[name] === false) return false;
	return undefined;
}

/** A whole number in a range. */
export function whole(raw: Raw, name: string, least: number, most: number): number | undefined {
	const value = Number(raw[name]);
	return Number.isInteger(value) && value >= least && value <= most && raw[name] !== ""
		? value
		: undefined;
}

/** A comma list as its items, none empty. */
export function list(value: string | undefined): string[] {
	return (value ?? "").split(",").filter((item) => item !== "");
}

/**
 * The query string of parameters, by name, so that one state has one address; what is undefined or
 * empty is left out.
 */
export function stringify(search: Raw): string {
	const query = new URLSearchParams();
	for (const name of Object.keys(search).sort()) {
		const value = search[name];
		if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
	}
	// Readable where it may be: names of operators and labels have colons and commas.
	const written = query.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
	return written === "" ? "" : `?${written}`;
}

/** The parameters of a query string as texts. */
export function parse(query: string): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(query));
}
