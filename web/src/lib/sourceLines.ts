import type { Finding } from "../api/queries";

/** A line of a file, or a finding under the line that it is about. */
export type SourceRow =
	| { kind: "line"; line: number; text: string; severity: Finding["severity"] | undefined }
	| { kind: "finding"; line: number; finding: Finding };

/** Findings of a file from its top to its end. */
export function inFile(findings: readonly Finding[], file: string): Finding[] {
	return findings
		.filter((finding) => finding.file === file)
		.sort((a, b) => a.span.line - b.span.line || a.span.column - b.span.column);
}

/** The lines of a text, each with its findings under it; `findings` are in order. */
export function sourceRows(text: string, findings: readonly Finding[]): SourceRow[] {
	const rows: SourceRow[] = [];
	let next = 0;
	for (const [at, line] of text.replace(/\r?\n$/, "").split(/\r?\n/).entries()) {
		const number = at + 1;
		const here: Finding[] = [];
		for (let one = findings[next]; one?.span.line === number; one = findings[next]) {
			here.push(one);
			next += 1;
		}
		rows.push({ kind: "line", line: number, text: line, severity: worst(here) });
		for (const finding of here) rows.push({ kind: "finding", line: number, finding });
	}
	return rows;
}

const RANK = { error: 0, warning: 1, info: 2 } as const;

function worst(findings: readonly Finding[]): Finding["severity"] | undefined {
	return findings
		.map(({ severity }) => severity)
		.sort((a, b) => RANK[a] - RANK[b])
		.at(0);
}

/** The lines with findings, in order, each once. */
export const stops = (findings: readonly Finding[]): number[] => [
	...new Set(findings.map(({ span }) => span.line)),
];

/** The stop after a line, or the one before it; from nowhere the first, or the last. */
export function nextStop(
	stops: readonly number[],
	from: number | undefined,
	by: number,
): number | undefined {
	if (by > 0) return stops.find((line) => from === undefined || line > from);
	return stops.findLast((line) => from === undefined || line < from);
}

/** The line that a fragment names. */
export function lineOf(hash: string): number | undefined {
	const line = Number(/^#?L(\d{1,7})$/.exec(hash)?.[1]);
	return line > 0 ? line : undefined;
}

/** The numbers of the lines that hold a text, in whatever case. */
export function linesWith(text: string, q: string | undefined): number[] {
	const words = q?.toLowerCase() ?? "";
	if (words === "") return [];
	const found: number[] = [];
	for (const [at, line] of text.toLowerCase().split(/\r?\n/).entries()) {
		if (line.includes(words)) found.push(at + 1);
	}
	return found;
}

/** A text cut at each place where it holds another, in whatever case: every second part is one. */
export function cutAt(text: string, q: string | undefined): string[] {
	const words = q?.toLowerCase() ?? "";
	const lower = text.toLowerCase();
	// Some letters change their length with their case; such a line is not marked.
	if (words === "" || lower.length !== text.length) return [text];
	const parts: string[] = [];
	let from = 0;
	for (let at = lower.indexOf(words); at >= 0; at = lower.indexOf(words, from)) {
		parts.push(text.slice(from, at), text.slice(at, at + words.length));
		from = at + words.length;
	}
	return [...parts, text.slice(from)];
}
