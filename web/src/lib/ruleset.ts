import type { components } from "../api/schema";
import { LEVELS } from "./levels";
import { candidate, parseSought, rankOf } from "./sought";

type Schemas = components["schemas"];
export type ChangeRule = Schemas["ChangeRule"];
export type AnyRule = Schemas["AnyRule"];

export const isChangeRule = (rule: AnyRule): rule is ChangeRule => "level" in rule;

export const kindOf = (rule: AnyRule) => (isChangeRule(rule) ? "compatibility" : "validation");

/** Severities and levels, the worst first; `max` is that of the worst it stands for. */
export const WEIGHTS: readonly string[] = ["error", "warning", ...LEVELS, "max"];

/** What a rule weighs: its severity, or the level of what it finds. */
export const weightOf = (rule: AnyRule) => (isChangeRule(rule) ? rule.level : rule.severity);

export interface RuleFilter {
	q?: string | undefined;
	kind?: "validation" | "compatibility" | undefined;
	family?: string | undefined;
	weight?: string | undefined;
}

/** Whether a rule passes all filters; words are sought in its id and in what it finds and why. */
export function passes(rule: AnyRule, filter: RuleFilter): boolean {
	if (filter.kind !== undefined && kindOf(rule) !== filter.kind) return false;
	if (filter.family !== undefined && rule.family !== filter.family) return false;
	if (filter.weight !== undefined && weightOf(rule) !== filter.weight) return false;
	const words = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const written = `${rule.id} ${rule.what} ${rule.why}`.toLowerCase();
	return words.every((word) => written.includes(word));
}

/** The rules that pass, those whose ids fit the words best first. */
export function sought(rules: readonly AnyRule[], filter: RuleFilter): AnyRule[] {
	const found = rules.filter((rule) => passes(rule, filter));
	const words = parseSought(filter.q ?? "");
	const last = Number.POSITIVE_INFINITY;
	const rank = new Map(
		found.map((rule) => [rule.id, rankOf(words, candidate(rule.id, rule.what)) ?? last]),
	);
	const of = (rule: AnyRule) => rank.get(rule.id) ?? last;
	return found.sort((a, b) => (of(a) < of(b) ? -1 : Number(of(a) > of(b))));
}

/** How many of the rules have each value, without counting the filter itself. */
export function facet(
	rules: readonly AnyRule[],
	filter: RuleFilter,
	name: "kind" | "family" | "weight",
): Map<string, number> {
	const of = { kind: kindOf, family: (rule: AnyRule) => rule.family, weight: weightOf }[name];
	const counts = new Map<string, number>();
	for (const rule of rules) {
		if (!passes(rule, { ...filter, [name]: undefined })) continue;
		counts.set(of(rule), (counts.get(of(rule)) ?? 0) + 1);
	}
	return counts;
}
