import type { MatrixView } from "../api/queries";
import type { components } from "../api/schema";
import type { FacetValue } from "./matrix";

type Gap = components["schemas"]["GapView"];
type Operator = MatrixView["operators"][number];

/** What an operator must be for its gap to be shown. */
export interface OperatorFilter {
	tag?: string | undefined;
	kind?: string | undefined;
	python_module?: string | undefined;
	namespace?: string | undefined;
}

/** What of a gap list is shown. */
export interface GapFilter extends OperatorFilter {
	only?: "lacking" | "inherited" | "unknown" | undefined;
	added?: "new" | undefined;
	q?: string | undefined;
}

/** A gap with its rank in the whole list, counted from one. */
export interface Ranked {
	rank: number;
	gap: Gap;
}

/** The operators of a revision by name. */
export const byName = (operators: readonly Operator[]): Map<string, Operator> =>
	new Map(operators.map((operator) => [operator.name, operator]));

/**
 * The gaps that pass the filters, with the ranks that they have in the whole list; `operators` tells
 * what each of them is.
 */
export function ranked(
	gaps: readonly Gap[],
	filter: GapFilter,
	operators: ReadonlyMap<string, Operator>,
): Ranked[] {
	const { only, added, q } = filter;
	const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const passes = (gap: Gap) =>
		isOfKind(gap, only) &&
		(added === undefined || gap.new === true) &&
		words.every((word) => gap.operator.toLowerCase().includes(word)) &&
		isOf(operators.get(gap.operator), filter);
	return gaps.map((gap, at) => ({ rank: at + 1, gap })).filter(({ gap }) => passes(gap));
}

/** Whether a gap is of a kind. An operator that may work is no gap, so it is shown only if asked for. */
function isOfKind({ works }: Gap, only: GapFilter["only"]): boolean {
	switch (only) {
		case "lacking":
			return works === "no" || works === "partly";
		case "inherited":
			return works === "yes";
		case "unknown":
			return works === "unknown";
		default:
			return works !== "unknown";
	}
}

function isOf(operator: Operator | undefined, filter: OperatorFilter): boolean {
	const { tag, kind, python_module, namespace } = filter;
	return (
		(tag === undefined || operator?.tags.includes(tag) === true) &&
		(kind === undefined || operator?.kind === kind) &&
		(python_module === undefined || operator?.python_module === python_module) &&
		(namespace === undefined || operator?.namespace === namespace)
	);
}

/**
 * Every value that operators of a revision have, with how many of the gaps have it, most first: also
 * one without any gap may be asked for.
 */
export function gapFacet(
	gaps: readonly Gap[],
	operators: ReadonlyMap<string, Operator>,
	values: (operator: Operator) => readonly (string | null)[],
): FacetValue[] {
	const counts = new Map<string, number>();
	const add = (operator: Operator, by: number) => {
		for (const value of values(operator)) {
			if (value !== null) counts.set(value, (counts.get(value) ?? 0) + by);
		}
	};
	for (const operator of operators.values()) add(operator, 0);
	for (const gap of gaps) {
		const operator = operators.get(gap.operator);
		if (operator) add(operator, 1);
	}
	const facets = [...counts].map(([value, count]) => ({ value, count }));
	return facets.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value));
}
