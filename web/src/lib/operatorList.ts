import type { MatrixView } from "../api/queries";
import type { MatrixOperator } from "./matrix";
import { verdictAt, type Verdict } from "./verdicts";

/** The title of the group that an operator stands in. */
export function groupOf({ name, namespace }: Pick<MatrixOperator, "name" | "namespace">): string {
	if (name.includes("deprecated")) return "Deprecated";
	const bare = name.replace(/^\w+::/, "");
	if (bare.startsWith("__")) return "Python operators";
	if (bare.startsWith("_")) return "Internal";
	return namespace === "aten" ? (bare[0] ?? "").toUpperCase() : namespace;
}

/** What comes after the letters, in this order. */
const LAST = ["Python operators", "Internal", "Deprecated"];

/** Operators in groups by their first letter; those that few people call come last. */
export function grouped(operators: readonly MatrixOperator[]): MatrixOperator[] {
	const keyed = operators.map((operator) => {
		const group = groupOf(operator);
		return { operator, order: `${LAST.indexOf(group) + 1} ${group} ${operator.name.toLowerCase()}` };
	});
	keyed.sort((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order)));
	return keyed.map(({ operator }) => operator);
}

/** The first operator of each group with how many the group has. */
export function groupStarts(operators: readonly MatrixOperator[]): Map<string, [string, number]> {
	const starts = new Map<string, [string, number]>();
	let current: [string, number] | undefined;
	for (const operator of operators) {
		const group = groupOf(operator);
		if (current?.[0] !== group) {
			current = [group, 0];
			starts.set(operator.name, current);
		}
		current[1] += 1;
	}
	return starts;
}

/** A backend with data, and its place in the verdicts of a row. */
export interface Column {
	key: string;
	at: number;
}

/** The backends about which anything is known, by their keys of plain tensors. */
export function dataColumns({ keys, verdicts }: Pick<MatrixView, "keys" | "verdicts">): Column[] {
	const dense = keys.filter(({ functionality }) => functionality === "Dense");
	const columns = dense.map(({ key }) => ({ key, at: verdicts.keys.indexOf(key) }));
	return columns.filter(({ at }) => verdicts.rows.some((row) => verdictAt(row[at]).name !== "unknown"));
}

/** What an operator has on a backend. */
export const verdictOn = (view: MatrixView, operator: MatrixOperator, { at }: Column): Verdict =>
	verdictAt(view.verdicts.rows[operator.verdicts]?.[at]);
