import type { Entry } from "../api/queries";
import { REASONS } from "./reasons";

/** Entries that say the same, as one row. */
export interface Folded {
	id: string;
	reason: string;
	kernel: string | null;
	/** The alias key that serves; null where each key has its own, and for fallbacks. */
	alias: string | null;
	origin: string | null;
	file: string | null;
	line: number | null;
	fallthrough: boolean;
	derivable: boolean;
	cause: string | null;
	entries: Entry[];
}

const ORDER = new Map<string, number>(REASONS.map(({ name }, at) => [name, at]));

/** The alias key whose kernel serves an entry. */
export function aliasOf(entry: Entry): string | null {
	return entry.source_key === entry.key ? null : entry.source_key;
}

/**
 * Rows of a dispatch table with equal ones folded into one: those with the same kernel for the same
 * reason. Fallbacks fold whatever their files, since what matters is that the key has one.
 */
export function fold(table: readonly Entry[]): Folded[] {
	const rows = new Map<string, Folded>();
	for (const entry of table) {
		const alias = aliasOf(entry);
		const isFallback = entry.reason === "backend fallback";
		const file = isFallback ? null : entry.file;
		const id = JSON.stringify([
			entry.reason,
			entry.kernel,
			alias,
			entry.origin,
			file,
			entry.fallthrough,
			entry.derivable,
		]);
		const row = rows.get(id);
		if (row) {
			row.entries.push(entry);
			continue;
		}
		rows.set(id, {
			id,
			reason: entry.reason,
			kernel: entry.kernel,
			alias,
			origin: entry.origin,
			file,
			line: isFallback ? null : (entry.span?.line ?? null),
			fallthrough: entry.fallthrough,
			derivable: entry.derivable,
			cause: entry.cause,
			entries: [entry],
		});
	}
	const rank = (row: Folded) => ORDER.get(row.reason) ?? ORDER.size;
	return [...rows.values()].sort(
		(a, b) => rank(a) - rank(b) || b.entries.length - a.entries.length,
	);
}

/** A dispatch table as functionality by backend, with the keys that have no backend apart. */
export interface Grid {
	backends: string[];
	rows: { functionality: string; cells: (Entry | undefined)[] }[];
	rest: Entry[];
}

/** Lays a table out as a grid; both ways keep the order of the table. */
export function grid(table: readonly Entry[]): Grid {
	const backends: string[] = [];
	const functionalities: string[] = [];
	const cells = new Map<string, Entry>();
	const rest: Entry[] = [];
	for (const entry of table) {
		if (entry.backend === null) {
			rest.push(entry);
			continue;
		}
		if (!backends.includes(entry.backend)) backends.push(entry.backend);
		if (!functionalities.includes(entry.functionality)) functionalities.push(entry.functionality);
		cells.set(`${entry.functionality} ${entry.backend}`, entry);
	}
	const rows = functionalities.map((functionality) => ({
		functionality,
		cells: backends.map((backend) => cells.get(`${functionality} ${backend}`)),
	}));
	return { backends, rows, rest };
}

const OUTCOMES: Record<string, string> = {
	decides: "decides",
	"not registered": "nothing registered",
	"out of reach": "does not reach this key",
	irrelevant: "does not apply to this key",
	"switched off by explicit": "disabled by a CompositeExplicitAutograd kernel",
	"switched off by backends": "disabled by backend kernels",
	"not ambiguous": "the kernel is not ambiguous",
};

/** What came of a step of an explanation, in words. */
export const outcomeWords = (outcome: string): string => OUTCOMES[outcome] ?? outcome;

/** What made a registration, in words. */
const ORIGINS: Record<string, string> = {
	declared: "declared",
	structured: "structured kernel",
	autogen: "generated for `autogen`",
	"implicit composite": "no kernel is declared",
	autograd: "generated autograd",
	"inplace or view": "generated version counters and views",
	functionalize: "generated functionalization",
	tracer: "generated tracing kernel",
	"backend select": "generated backend selection",
	fallback: "backend fallback",
	"backend file": "backend file",
	"hand-written": "hand-written in C++ or Python",
	source: "C++ or Python source of the backend",
	observed: "recorded from a process",
};

export const originWords = (origin: string): string => ORIGINS[origin] ?? origin;

/** Adds an item to a comma list, or takes it away. */
export function toggled(list: readonly string[], item: string, on: boolean): string | undefined {
	const rest = list.filter((other) => other !== item);
	const next = on ? [...rest, item] : rest;
	return next.length > 0 ? next.join(",") : undefined;
}

/** Keys whose entries change alike. */
export interface FoldedChange {
	before: Entry;
	after: Entry;
	keys: string[];
}

/** The cells that change, with those that change alike folded into one. */
export function foldChanges(
	before: readonly Entry[],
	after: readonly Entry[],
	changed: readonly string[],
): FoldedChange[] {
	const wanted = new Set(changed);
	const later = new Map(after.map((entry) => [entry.key, entry]));
	const told = (entry: Entry) => [entry.reason, entry.kernel, aliasOf(entry), entry.fallthrough];
	const folded = new Map<string, FoldedChange>();
	for (const entry of before) {
		const then = later.get(entry.key);
		if (!wanted.has(entry.key) || !then) continue;
		const id = JSON.stringify([...told(entry), ...told(then)]);
		const alike = folded.get(id);
		if (alike) alike.keys.push(entry.key);
		else folded.set(id, { before: entry, after: then, keys: [entry.key] });
	}
	return [...folded.values()].sort((a, b) => a.keys.length - b.keys.length);
}
