import type { Span } from "../api/queries";
import { type Lines, rangeOf } from "./positions";

/** What errors and warnings of PyTorch, its tools and its linkers say. */
const SAYS =
	/\b\w*(Error|Exception|Warning|Traceback)\b|not (currently )?(implemented|supported)|does not (exist|have)|could not|undefined symbol|no kernel|was not declared/i;
/** A call or an expression of Python: `F.relu(x)`, `x.add_(y)`. */
const CALL = /^[A-Za-z_][\w.]*\(.*\)$/s;
/** How many words a name, a key or a search has at most. */
const WORDS = 6;

/** Whether a text is a question about an error or a call, and not words to search for. */
export function isMessage(text: string): boolean {
	const trimmed = text.trim();
	if (CALL.test(trimmed)) return true;
	return trimmed.includes("\n") || (trimmed.split(/\s+/).length > WORDS && SAYS.test(trimmed));
}

/** A piece of a message; `what` says what it was understood as. */
export interface MessagePiece {
	text: string;
	what?: string;
}

/** A message with the parts that were understood. Parts that overlap an earlier one are left out. */
export function understood(
	text: string,
	read: readonly { what: string; span: Span }[],
): MessagePiece[] {
	const lines = linesOf(text);
	const pieces: MessagePiece[] = [];
	let end = 0;
	for (const { what, span } of read) {
		const { from, to } = rangeOf(lines, span);
		if (from < end || to <= from) continue;
		if (from > end) pieces.push({ text: text.slice(end, from) });
		pieces.push({ text: text.slice(from, to), what });
		end = to;
	}
	if (end < text.length) pieces.push({ text: text.slice(end) });
	return pieces;
}

/** The lines of a text, as the API counts them. */
function linesOf(text: string): Lines {
	const starts = [0];
	for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1);
	return {
		lines: starts.length,
		line: (number) => {
			const from = starts[number - 1] ?? text.length;
			const to = (starts[number] ?? text.length + 1) - 1;
			return { from, to, text: text.slice(from, to) };
		},
	};
}
