import type { components } from "../api/schema";

type FunctionDtypes = components["schemas"]["FunctionDtypes"];

/** Device types that take the same dtypes. */
export interface DtypeRow {
	devices: string[];
	forward: ReadonlySet<string>;
	backward: ReadonlySet<string>;
}

/** The rows of a function. */
export interface DtypeFunction {
	name: string;
	rows: DtypeRow[];
}

/** All that is known from one source: the dtypes that occur, and the functions. */
export interface DtypeTable {
	known_from: string;
	dtypes: string[];
	functions: DtypeFunction[];
}

/** One table for what was measured, then one for what is claimed. */
export function dtypeTables(items: readonly FunctionDtypes[]): DtypeTable[] {
	const sources = [...new Set(items.map(({ known_from }) => known_from))];
	sources.sort((a, b) => Number(b === "measured") - Number(a === "measured"));
	return sources.map((known_from) => {
		const of = items.filter((item) => item.known_from === known_from);
		const dtypes = [...new Set(of.flatMap(({ forward, backward }) => [...forward, ...backward]))];
		const names = [...new Set(of.map((item) => item.function))];
		const functions = names.map((name) => ({
			name,
			rows: rowsOf(of.filter((item) => item.function === name)),
		}));
		return { known_from, dtypes: dtypes.sort(byKind), functions };
	});
}

function rowsOf(items: readonly FunctionDtypes[]): DtypeRow[] {
	const rows = new Map<string, DtypeRow>();
	for (const { device, forward, backward } of items) {
		const alike = `${[...forward].sort()}|${[...backward].sort()}`;
		const row = rows.get(alike);
		if (row) row.devices.push(device);
		else {
			const sets = { forward: new Set(forward), backward: new Set(backward) };
			rows.set(alike, { devices: [device], ...sets });
		}
	}
	return [...rows.values()];
}

/** Bools, integers, floats, complex numbers, then the rest; small ones first. */
function byKind(a: string, b: string): number {
	return kindOf(a) - kindOf(b) || bitsOf(a) - bitsOf(b) || a.localeCompare(b);
}

const KINDS = [/^b\d|^bool/, /^u/, /^i/, /^b?f/, /^c/];

const kindOf = (dtype: string): number => {
	const at = KINDS.findIndex((kind) => kind.test(dtype));
	return at < 0 ? KINDS.length : at;
};

const bitsOf = (dtype: string): number => Number(/\d+/.exec(dtype)?.[0] ?? 0);
