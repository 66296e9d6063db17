import { commonPairs, MOST_PAIRS } from "./worddiff";

/** A line of a diff: of both sides, of the old one alone, or of the new one alone. */
export interface DiffLine {
	sign: " " | "-" | "+";
	text: string;
}

/** The lines of two texts in one; nothing where they are the same or too long. */
export function diffLines(before: string, after: string): DiffLine[] | undefined {
	if (before === after) return undefined;
	const [a, b] = [linesOf(before), linesOf(after)];
	if (a.length * b.length > MOST_PAIRS) return undefined;
	const lines: DiffLine[] = [];
	let [i, j] = [0, 0];
	const common = commonPairs(a, b, (left, right) => left === right);
	for (const [left, right] of [...common, [a.length, b.length] as const]) {
		for (; i < left; i += 1) lines.push({ sign: "-", text: a[i] ?? "" });
		for (; j < right; j += 1) lines.push({ sign: "+", text: b[j] ?? "" });
		if (left < a.length) lines.push({ sign: " ", text: b[right] ?? "" });
		[i, j] = [left + 1, right + 1];
	}
	return lines.some(({ sign }) => sign !== " ") ? lines : undefined;
}

const linesOf = (text: string) => text.trimEnd().split("\n");

/** The entry of `native_functions.yaml` around a line, counted from 1, without what follows it. */
export function entryAt(text: string, line: number): string | undefined {
	const lines = text.split("\n");
	let start = Math.min(line, lines.length) - 1;
	while (start >= 0 && !lines[start]?.startsWith("- ")) start -= 1;
	if (start < 0) return undefined;
	let end = start + 1;
	while (end < lines.length && !lines[end]?.startsWith("- ")) end += 1;
	while (end > start + 1 && /^\s*(#.*)?$/.test(lines[end - 1] ?? "")) end -= 1;
	return `${lines.slice(start, end).join("\n")}\n`;
}
