/** How many letters of a word may be wrong: a third, at least one and at most four. */
const allowed = (word: string) => Math.min(4, Math.max(1, Math.floor(word.length / 3)));

/**
 * How many letters have to be changed, inserted, dropped or swapped with their neighbour to make
 * one word of the other; nothing where that is more than `most`.
 */
export function distance(a: string, b: string, most: number): number | undefined {
	if (Math.abs(a.length - b.length) > most) return undefined;
	let beforeLast: number[] = [];
	let last = Array.from({ length: b.length + 1 }, (_, at) => at);
	for (let i = 1; i <= a.length; i++) {
		const row = [i];
		for (let j = 1; j <= b.length; j++) {
			const change = a[i - 1] === b[j - 1] ? 0 : 1;
			let best = Math.min(
				(last[j - 1] ?? 0) + change,
				(last[j] ?? 0) + 1,
				(row[j - 1] ?? 0) + 1,
			);
			const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
			if (isSwap) best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
			row.push(best);
		}
		// What follows is never less than the least of two rows.
		if (Math.min(...row, ...last) > most) return undefined;
		[beforeLast, last] = [last, row];
	}
	const found = last[b.length] ?? most + 1;
	return found <= most ? found : undefined;
}

/** The names that differ least from a word, nearest first, none that is the word. */
export function nearest(word: string, names: Iterable<string>, count: number): string[] {
	const most = allowed(word);
	const near: { name: string; by: number }[] = [];
	for (const name of new Set(names)) {
		const by = distance(word, name, most);
		if (by !== undefined && by > 0) near.push({ name, by });
	}
	near.sort((a, b) => a.by - b.by);
	return near.slice(0, count).map(({ name }) => name);
}
