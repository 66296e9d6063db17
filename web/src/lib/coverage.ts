import type { MatrixView } from "../api/queries";
import { cellOf, columnOf, type MatrixOperator } from "./matrix";
import { type Standing, standingOf } from "./reasons";
import { type Verdict, verdictAt } from "./verdicts";

/** How many operators stand how; `other` is not part of the total. */
export interface Tally {
	direct: number;
	inherited: number;
	missing: number;
	unknown: number;
	other: number;
}

const NONE: Tally = { direct: 0, inherited: 0, missing: 0, unknown: 0, other: 0 };

/** How many of them apply to the key. */
export const total = ({ direct, inherited, missing, unknown }: Tally): number =>
	direct + inherited + missing + unknown;

/** The verdict of an operator on the key of a backend; undefined for other keys. */
export function verdictIn(
	view: MatrixView,
	operator: { verdicts: number },
	key: string,
): Verdict | undefined {
	const at = view.verdicts.keys.indexOf(key);
	return at < 0 ? undefined : verdictAt(view.verdicts.rows[operator.verdicts]?.[at]);
}

/** Whether an operator fails on the key of a backend because only other backends have it. */
function isForeign(view: MatrixView, operator: { verdicts: number }, key: string): boolean {
	const at = view.verdicts.keys.indexOf(key);
	return view.verdicts.applicable[operator.verdicts]?.[at] === "0";
}

/**
 * How an operator stands at a column: on the key of a backend by its verdict, on others by its
 * cell.
 */
export function standingAt(
	view: MatrixView,
	operator: { row: number; verdicts: number },
	column: number,
): Standing {
	const cell = view.cells[cellOf(view.rows[operator.row] ?? "", column)];
	const byEntry = standingOf(cell?.standing ?? "fails");
	const verdict = verdictIn(view, operator, view.keys[column]?.key ?? "");
	if (verdict === undefined) return byEntry;
	const works = view.verdicts.legend.find(({ letter }) => letter === verdict.letter)?.works;
	if (works === "yes") return byEntry === "direct" ? "direct" : "inherited";
	if (works !== "partly" && works !== "no") return "unknown";
	return isForeign(view, operator, view.keys[column]?.key ?? "") ? "other" : "missing";
}

/** What comes of a call at a column, for figures: on the key of a backend its answer, on others how it stands. */
export type Outcome = "works" | "partly" | "fails" | "unknown" | "direct" | "inherited" | "other";

const OUTCOMES: Record<Verdict["works"], Outcome> = {
	yes: "works",
	partly: "partly",
	no: "fails",
	unknown: "unknown",
};

/** What comes of a call of an operator at a column. */
export function outcomeAt(view: MatrixView, operator: MatrixOperator, column: number): Outcome {
	const key = view.keys[column]?.key ?? "";
	const standing = standingAt(view, operator, column);
	const verdict = verdictIn(view, operator, key);
	if (verdict !== undefined && standing !== "other") return OUTCOMES[verdict.works];
	return standing === "missing" ? "fails" : standing;
}

/** How many operators have which outcome at a column. */
export type Outcomes = Partial<Record<Outcome, number>>;

/** How many of them are counted: all but those of other backends. */
export const outcomesTotal = ({ other: _, ...counted }: Outcomes): number =>
	Object.values(counted).reduce((sum, many) => sum + many, 0);

/** Counts operators by their outcome at a column. */
export function outcomes(
	view: MatrixView,
	operators: readonly MatrixOperator[],
	column: number,
): Outcomes {
	const counts: Outcomes = {};
	for (const { operator, many } of alike(operators)) {
		const outcome = outcomeAt(view, operator, column);
		counts[outcome] = (counts[outcome] ?? 0) + many;
	}
	return counts;
}

/** One operator of all that share their rows, and how many they are. */
function alike(operators: readonly MatrixOperator[]) {
	const found = new Map<string, { operator: MatrixOperator; many: number }>();
	for (const operator of operators) {
		const rows = `${operator.row} ${operator.verdicts}`;
		const known = found.get(rows);
		if (known) known.many += 1;
		else found.set(rows, { operator, many: 1 });
	}
	return [...found.values()];
}

/**
 * Those of the operators that figures of coverage count: the declared ones, as everywhere else;
 * generated ones only where there is nothing else.
 */
export function countedOnes(operators: readonly MatrixOperator[]): readonly MatrixOperator[] {
	const declared = operators.filter(({ generated }) => !generated);
	return declared.length > 0 ? declared : operators;
}

/** Counts by a property of operators; those with most operators first. */
export function outcomesBy(
	view: MatrixView,
	operators: readonly MatrixOperator[],
	column: number,
	groupOf: (operator: MatrixOperator) => string,
): [string, Outcomes][] {
	const groups = new Map<string, MatrixOperator[]>();
	for (const operator of operators) {
		const name = groupOf(operator);
		const group = groups.get(name);
		if (group) group.push(operator);
		else groups.set(name, [operator]);
	}
	return [...groups]
		.map(([name, group]): [string, Outcomes] => [name, outcomes(view, group, column)])
		.sort(([, a], [, b]) => outcomesTotal(b) - outcomesTotal(a));
}

/**
 * On how many of the columns an operator works. Operators share rows, so this is counted once for
 * all that do.
 */
export function served(
	view: MatrixView,
	columns: readonly number[],
): (operator: MatrixOperator) => number {
	const known = new Map<string, number>();
	const works = (operator: MatrixOperator) => (column: number) =>
		["direct", "inherited"].includes(standingAt(view, operator, column));
	return (operator) => {
		const rows = `${operator.row} ${operator.verdicts}`;
		const counted = known.get(rows) ?? columns.filter(works(operator)).length;
		known.set(rows, counted);
		return counted;
	};
}

/** Counts operators by how they stand at each of the columns. */
export function tallies(
	view: MatrixView,
	operators: readonly MatrixOperator[],
	columns: readonly number[],
): Tally[] {
	const distinct = alike(operators);
	return columns.map((column) => {
		const counts: Tally = { ...NONE };
		for (const { operator, many } of distinct) {
			counts[standingAt(view, operator, column)] += many;
		}
		return counts;
	});
}

/** An operator that stands otherwise than before. */
export interface Move {
	name: string;
	before: Standing | "absent";
	now: Standing | "absent";
}

/** What operators gained and lost at a key between two revisions. */
export function moves(before: MatrixView, now: MatrixView, key: string) {
	const stand = (view: MatrixView) => {
		const column = columnOf(view, key);
		const at = (operator: MatrixOperator) =>
			column < 0 ? "missing" : standingAt(view, operator, column);
		return new Map(view.operators.map((operator) => [operator.name, at(operator)]));
	};
	const [old, current] = [stand(before), stand(now)];
	// Where one side is unknown, nothing is known to be gained or lost.
	const worth = { absent: 0, missing: 0, other: 0, unknown: Number.NaN, inherited: 1, direct: 2 };
	const gained: Move[] = [];
	const lost: Move[] = [];
	for (const name of new Set([...current.keys(), ...old.keys()])) {
		const move: Move = {
			name,
			before: old.get(name) ?? "absent",
			now: current.get(name) ?? "absent",
		};
		if (worth[move.now] > worth[move.before]) gained.push(move);
		if (worth[move.now] < worth[move.before]) lost.push(move);
	}
	return { gained, lost };
}
