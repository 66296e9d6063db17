import type { Finding, Span } from "../api/queries";

/** What gives the lines of a text, counted from 1, and where they begin in UTF-16 units. */
export interface Lines {
	readonly lines: number;
	line(number: number): { from: number; to: number; text: string };
}

/**
 * The offset in UTF-16 units of a column in a line. The API counts columns in Unicode scalar values
 * from 1; a column past the end is the end.
 */
export function columnOffset(line: string, column: number): number {
	let at = 0;
	for (let left = column - 1; left > 0 && at < line.length; left -= 1) {
		at += (line.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
	}
	return at;
}

/** The offset of a place; one past the end of the text is the end. */
export function offsetOf(text: Lines, line: number, column: number): number {
	if (line > text.lines) return text.line(text.lines).to;
	const { from, text: written } = text.line(Math.max(1, line));
	return from + columnOffset(written, column);
}

/** Where a span begins and ends. */
export function rangeOf(text: Lines, span: Span): { from: number; to: number } {
	const from = offsetOf(text, span.line, span.column);
	return { from, to: Math.max(from, offsetOf(text, span.end_line, span.end_column)) };
}

/** A range that can be seen: an empty one takes the letter behind it, or the one before it. */
export function visible(
	range: { from: number; to: number },
	text: Lines,
	line: number,
): { from: number; to: number } {
	if (range.to > range.from) return range;
	const at = text.line(Math.min(Math.max(1, line), text.lines));
	if (range.from < at.to) return { from: range.from, to: range.from + 1 };
	return range.from > at.from ? { from: range.from - 1, to: range.from } : range;
}

/** Findings in the order of the text. */
export function inOrder(findings: readonly Finding[]): Finding[] {
	return [...findings].sort(({ span: a }, { span: b }) => a.line - b.line || a.column - b.column);
}
