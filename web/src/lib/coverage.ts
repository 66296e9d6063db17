import type { MatrixView } from "../api/queries";
import { cellAt, cellOf, columnOf, type MatrixOperator } from "./matrix";
import { type Standing, standingOf } from "./reasons";

/** How many operators stand how. */
export interface Tally {
	direct: number;
	inherited: number;
	missing: number;
}

export const total = ({ direct, inherited, missing }: Tally): number =>
	direct + inherited + missing;

/** Counts operators by how they stand at a column. */
export function tally(
	view: MatrixView,
	operators: readonly MatrixOperator[],
	column: number,
): Tally {
	return tallies(view, operators, [column])[0] ?? { direct: 0, inherited: 0, missing: 0 };
}

/** Counts by a property of operators; those with most operators first. */
export function tallyBy(
	view: MatrixView,
	operators: readonly MatrixOperator[],
	column: number,
	groupOf: (operator: MatrixOperator) => string,
): [string, Tally][] {
	const groups = new Map<string, MatrixOperator[]>();
	for (const operator of operators) {
		const name = groupOf(operator);
		const group = groups.get(name);
		if (group) group.push(operator);
		else groups.set(name, [operator]);
	}
	return [...groups]
		.map(([name, group]): [string, Tally] => [name, tally(view, group, column)])
		.sort(([, a], [, b]) => total(b) - total(a));
}

/**
 * How many of the columns serve the operators of each different row. Operators share rows, so this
 * is counted once for all that do.
 */
export function served(view: MatrixView, columns: readonly number[]): number[] {
	const serves = view.cells.map((cell) => standingOf(cell.reason) !== "missing");
	return view.rows.map((row) => columns.filter((column) => serves[cellOf(row, column)]).length);
}

/** Counts operators by how they stand at each of the columns. */
export function tallies(
	view: MatrixView,
	operators: readonly MatrixOperator[],
	columns: readonly number[],
): Tally[] {
	const standings = view.cells.map((cell) => standingOf(cell.reason));
	const many = new Map<number, number>();
	for (const { row } of operators) many.set(row, (many.get(row) ?? 0) + 1);
	return columns.map((column) => {
		const counts: Tally = { direct: 0, inherited: 0, missing: 0 };
		for (const [row, operators] of many) {
			counts[standings[cellOf(view.rows[row] ?? "", column)] ?? "missing"] += operators;
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
			column < 0 ? "missing" : standingOf(cellAt(view, operator, column).reason);
		return new Map(view.operators.map((operator) => [operator.name, at(operator)]));
	};
	const [old, current] = [stand(before), stand(now)];
	const worth = { absent: 0, missing: 0, inherited: 1, direct: 2 };
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
