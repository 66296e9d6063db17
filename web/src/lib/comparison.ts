import type { components } from "../api/schema";
import { LEVELS, type Level } from "./levels";
import { type Standing, standingOf } from "./reasons";

type Schemas = components["schemas"];
export type Comparison = Schemas["Comparison"];
export type Change = Schemas["Change"];
export type ComparedOperator = Schemas["ComparedOperator"];
export type DispatchChange = Schemas["DispatchChange"];
export type Cell = Schemas["CellView"];

/** What changes are grouped under: their level, or that an exception excuses them. */
export type Group = Level | "accepted";
export const GROUPS: readonly Group[] = [
	...LEVELS.filter((level) => level !== "none"),
	"accepted",
	"none",
];

export function groupOf(change: Change): Group {
	if (change.exception?.holds) return "accepted";
	return LEVELS.find((level) => level === change.level) ?? "none";
}

/** Whether a change stands for the others of its operator; it is a heading and is not counted. */
export const isCompound = (change: Change) => change.rule === "compound";

/** The namespace of an operator; without one it is `aten`. */
export const namespaceOf = (operator: string) =>
	operator.includes("::") ? (operator.split("::")[0] ?? "aten") : "aten";

export interface Filter {
	level?: Group | undefined;
	audience?: string | undefined;
	/** A dispatch key. */
	backend?: string | undefined;
	namespace?: string | undefined;
	q?: string | undefined;
}

/** The keys at which each operator's dispatch table changed. */
export function keysByOperator(changes: readonly DispatchChange[]): Map<string, Set<string>> {
	const found = new Map<string, Set<string>>();
	for (const { operator, keys } of changes) {
		const known = found.get(operator) ?? new Set();
		found.set(operator, known);
		for (const key of keys) known.add(key);
	}
	return found;
}

const wordsOf = (q: string | undefined) => (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);

type Keys = ReadonlyMap<string, ReadonlySet<string>>;

/** What a change must be to pass all filters. One of its operator's table counts for a backend as well. */
export function sieve(filter: Filter, touched: Keys): (change: Change) => boolean {
	const { level, audience, backend, namespace } = filter;
	const words = wordsOf(filter.q);
	return (change) => {
		const { operator, breaks, risks, keys } = change;
		if (level !== undefined && groupOf(change) !== level) return false;
		if (audience !== undefined && !breaks.includes(audience) && !risks.includes(audience)) {
			return false;
		}
		if (
			backend !== undefined &&
			!keys.includes(backend) &&
			!touched.get(operator)?.has(backend)
		) {
			return false;
		}
		if (namespace !== undefined && namespaceOf(operator) !== namespace) return false;
		if (words.length === 0) return true;
		const written = `${operator} ${change.rule} ${change.message} ${change.also.join(" ")}`;
		const lower = written.toLowerCase();
		return words.every((word) => lower.includes(word));
	};
}

type Facet = "level" | "audience" | "backend" | "namespace";

/** How many changes have each value of a filter, that filter itself left out; none are compound. */
export function facet(
	changes: readonly Change[],
	filter: Filter,
	name: Facet,
	touched: Keys,
): Map<string, number> {
	const passes = sieve({ ...filter, [name]: undefined }, touched);
	const left = changes.filter((change) => !isCompound(change) && passes(change));
	if (name === "backend") return backendsOf(left, touched);
	const values: (change: Change) => Iterable<string> = {
		level: (change: Change) => [groupOf(change)],
		audience: ({ breaks, risks }: Change) => [...breaks, ...risks],
		namespace: ({ operator }: Change) => [namespaceOf(operator)],
	}[name];
	const counts = new Map<string, number>();
	for (const change of left) {
		for (const value of values(change)) counts.set(value, (counts.get(value) ?? 0) + 1);
	}
	return counts;
}

/** How many changes concern each key: the keys of a table are counted once for all changes of its operator. */
function backendsOf(changes: readonly Change[], touched: Keys): Map<string, number> {
	const counts = new Map<string, number>();
	const add = (key: string, many: number) => counts.set(key, (counts.get(key) ?? 0) + many);
	const byOperator = new Map<string, number>();
	for (const { operator, keys } of changes) {
		byOperator.set(operator, (byOperator.get(operator) ?? 0) + 1);
		const known = touched.get(operator);
		for (const key of keys) if (!known?.has(key)) add(key, 1);
	}
	for (const [operator, many] of byOperator) {
		for (const key of touched.get(operator) ?? []) add(key, many);
	}
	return counts;
}

/** An operator with its changes of one level. */
export interface Card {
	operator: string;
	group: Group;
	/** What stands for all of them, where there are several. */
	compound: Change | undefined;
	changes: Change[];
	compared: ComparedOperator | undefined;
}

export interface Grouped {
	group: Group;
	/** How many changes, compound ones not counted. */
	count: number;
	cards: Card[];
}

/** Changes by level, the worst first, and by operator within, in the order of the comparison. */
export function grouped(
	changes: readonly Change[],
	operators: ReadonlyMap<string, ComparedOperator>,
): Grouped[] {
	const found = new Map<Group, Map<string, Card>>();
	for (const change of changes) {
		const group = groupOf(change);
		const cards = found.get(group) ?? new Map<string, Card>();
		found.set(group, cards);
		const card = cards.get(change.operator) ?? {
			operator: change.operator,
			group,
			compound: undefined,
			changes: [],
			compared: operators.get(change.operator),
		};
		cards.set(change.operator, card);
		if (isCompound(change)) card.compound = change;
		else card.changes.push(change);
	}
	return GROUPS.flatMap((group) => {
		// What stands for changes that were filtered out stands for nothing.
		const cards = [...(found.get(group)?.values() ?? [])].filter((card) => card.changes.length > 0);
		const count = cards.reduce((sum, card) => sum + card.changes.length, 0);
		return cards.length === 0 ? [] : [{ group, count, cards }];
	});
}

/** Where torch's own check and this comparison disagree about an operator, in a sentence. */
export function disagreement(card: Card): string | undefined {
	const verdict = card.compared?.official;
	if (!verdict) return undefined;
	if (card.group === "breaking" && verdict.backward_compatible) {
		return "PyTorch's own check: compatible. It does not detect this break.";
	}
	const isHarmless = ["info", "safe", "none", "dangerous"].includes(card.group);
	if (isHarmless && !verdict.backward_compatible) {
		return "PyTorch's own check: incompatible.";
	}
	if (card.group === "forward-breaking" && verdict.forward_compatible) {
		return "PyTorch's own check: forward compatible.";
	}
	return undefined;
}

/** What became of a key's support. */
export const TURNS = [
	{ id: "lost", title: "Lost", meaning: "Worked before and does not now." },
	{ id: "gained", title: "Gained", meaning: "Works now and did not before." },
	{ id: "to-composite", title: "To composite", meaning: "A composite kernel replaced its own kernel." },
	{ id: "to-kernel", title: "To own kernel", meaning: "Its own kernel replaced a composite kernel." },
	{
		id: "other",
		title: "Other kernel",
		meaning: "Another kernel of the same kind runs.",
	},
] as const;
export type Turn = (typeof TURNS)[number]["id"];

const standing = (cell: Cell): Standing => standingOf(cell.standing);

export function turnOf({ before, after }: DispatchChange): Turn {
	const [was, is] = [standing(before), standing(after)];
	if (was === is || was === "unknown" || is === "unknown") return "other";
	if (is === "missing") return "lost";
	if (was === "missing") return "gained";
	return is === "direct" ? "to-kernel" : "to-composite";
}

/** A key, with how many operators changed there and how. */
export interface KeyTurns {
	key: string;
	total: number;
	turns: Record<Turn, number>;
}

/** How many operators changed at each key: the most lost first, then the most changed. */
export function turnsByKey(changes: readonly DispatchChange[]): KeyTurns[] {
	const found = new Map<string, KeyTurns>();
	for (const change of changes) {
		const turn = turnOf(change);
		for (const key of change.keys) {
			let row = found.get(key);
			if (!row) {
				const turns = { lost: 0, gained: 0, "to-composite": 0, "to-kernel": 0, other: 0 };
				row = { key, total: 0, turns };
				found.set(key, row);
			}
			row.turns[turn] += 1;
			row.total += 1;
		}
	}
	return [...found.values()].sort(
		(a, b) => b.turns.lost - a.turns.lost || b.total - a.total || a.key.localeCompare(b.key),
	);
}

/** What a change of a table must be to pass the filters that concern it. */
export function tableSieve(filter: Filter): (change: DispatchChange) => boolean {
	const { backend, namespace } = filter;
	const words = wordsOf(filter.q);
	return ({ operator, keys }) => {
		if (backend !== undefined && !keys.includes(backend)) return false;
		if (namespace !== undefined && namespaceOf(operator) !== namespace) return false;
		if (words.length === 0) return true;
		const lower = operator.toLowerCase();
		return words.every((word) => lower.includes(word));
	};
}
