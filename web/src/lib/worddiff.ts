/** A piece of a text, and whether the other text has it in its place. */
export interface Piece {
	text: string;
	changed: boolean;
}

export interface Diff {
	old: Piece[];
	new: Piece[];
}

/** Words, numbers and signs; white space goes with what stands before it. */
const WORD = /[\p{L}\p{N}_.]+\s*|[^\p{L}\p{N}_.\s]\s*|\s+/gu;

/** The most pairs of words that are looked at; of longer texts all but the two ends is marked. */
export const MOST_PAIRS = 400_000;

/**
 * What differs between two texts, word by word: the longest common sequence is unmarked. Pieces of
 * a side always make up its whole text.
 */
export function diffWords(before: string, after: string): Diff {
	const left = before.match(WORD) ?? [];
	const right = after.match(WORD) ?? [];
	let start = 0;
	while (start < left.length && start < right.length && same(left[start], right[start])) start += 1;
	let end = 0;
	while (
		end < left.length - start &&
		end < right.length - start &&
		same(left.at(-1 - end), right.at(-1 - end))
	) {
		end += 1;
	}
	const a = left.slice(start, left.length - end);
	const b = right.slice(start, right.length - end);
	const common = a.length * b.length > MOST_PAIRS ? [] : commonPairs(a, b, same);
	const inOld = new Set(common.map(([at]) => at + start));
	const inNew = new Set(common.map(([, at]) => at + start));
	const isKept = (at: number, all: number, kept: Set<number>) =>
		at < start || at >= all - end || kept.has(at);
	return {
		old: joined(left, (at) => isKept(at, left.length, inOld)),
		new: joined(right, (at) => isKept(at, right.length, inNew)),
	};
}

const same = (a: string | undefined, b: string | undefined) => a?.trim() === b?.trim();

/** The positions of a longest common sequence of words or lines, in order. */
export function commonPairs(
	a: readonly string[],
	b: readonly string[],
	equal: (a: string | undefined, b: string | undefined) => boolean,
): [number, number][] {
	const width = b.length + 1;
	const lengths = new Uint16Array((a.length + 1) * width);
	const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
	for (let i = a.length - 1; i >= 0; i -= 1) {
		for (let j = b.length - 1; j >= 0; j -= 1) {
			lengths[i * width + j] = equal(a[i], b[j])
				? at(i + 1, j + 1) + 1
				: Math.max(at(i + 1, j), at(i, j + 1));
		}
	}
	const pairs: [number, number][] = [];
	for (let i = 0, j = 0; i < a.length && j < b.length; ) {
		if (equal(a[i], b[j])) {
			pairs.push([i, j]);
			i += 1;
			j += 1;
		} else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
		else j += 1;
	}
	return pairs;
}

function joined(words: readonly string[], isKept: (at: number) => boolean): Piece[] {
	const pieces: Piece[] = [];
	for (const [at, text] of words.entries()) {
		const changed = !isKept(at);
		const last = pieces.at(-1);
		if (last && last.changed === changed) last.text += text;
		else pieces.push({ text, changed });
	}
	return pieces;
}
