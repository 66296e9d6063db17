import type { components } from "../api/schema";

export type DriftItem = components["schemas"]["DriftItem"];
export type DriftView = components["schemas"]["DriftView"];

/** Each kind of difference, those of whole operators first, and what it says. */
export const KINDS: readonly (readonly [DriftItem["kind"], string])[] = [
	["operator-absent", "Operators that the process does not have"],
	["operator-undeclared", "Operators that the files do not declare"],
	["absent", "Registrations that the process does not have"],
	["other-kernel", "Registrations with another kernel"],
	["undeclared", "Registrations that do not follow from the files"],
];

/** What a difference says besides the operator. */
export function saysOf({ kind, key, expected, found_file, found_fallthrough }: DriftItem): string {
	const found = `${found_fallthrough ? "a fallthrough of " : ""}${found_file ?? "an unknown file"}`;
	switch (kind) {
		case "absent":
			return `${key}: ${expected}`;
		case "undeclared":
			return `${key}: from ${found}`;
		case "other-kernel":
			return `${key}: ${found} instead of ${expected}`;
		default:
			return "";
	}
}

/** The differences by kind, kinds without any left out. */
export function byKind(items: readonly DriftItem[]): [string, DriftItem[]][] {
	return KINDS.map(([kind, title]): [string, DriftItem[]] => [
		title,
		items.filter((item) => item.kind === kind),
	]).filter(([, found]) => found.length > 0);
}
