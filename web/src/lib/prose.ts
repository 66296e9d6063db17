/** A piece of a sentence. */
export type Piece = { code: boolean; text: string };

/**
 * The pieces of a sentence of the API, in which code is a code span of Markdown: it begins with a
 * run of backticks and ends with the next run of as many. Code that holds backticks has longer runs
 * around it, and a space on either side.
 */
export function pieces(text: string): Piece[] {
	const found: Piece[] = [];
	let end = 0;
	for (const { 0: span, 1: run = "", 2: inner = "", index } of text.matchAll(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/gs)) {
		if (index > end) found.push({ code: false, text: text.slice(end, index) });
		found.push({ code: true, text: run.length > 1 ? inner.slice(1, -1) : inner });
		end = index + span.length;
	}
	if (end < text.length) found.push({ code: false, text: text.slice(end) });
	return found;
}
