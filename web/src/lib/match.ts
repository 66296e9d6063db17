/**
 * How well a name fits what is sought: 0 not at all; the more the better. Exact names come first,
 * then beginnings, then beginnings of words, then any part; of equal ones the shorter name.
 */
export function score(sought: string, name: string): number {
	if (sought === "") return 1;
	const at = name.indexOf(sought);
	if (at < 0) return 0;
	const short = 1 / (1 + name.length);
	if (name.length === sought.length) return 5;
	// `add` means the family of add.Tensor before addmm.
	if (at === 0 && /[._:]/.test(name[sought.length] ?? "")) return 3.5 + short;
	if (at === 0) return 3 + short;
	if (/[._:]/.test(name[at - 1] ?? "")) return 2 + short;
	return 1 + short;
}

/** The items whose names fit best, best first; every word sought must occur. */
export function best<T>(
	sought: string,
	items: readonly T[],
	nameOf: (item: T) => string,
	limit: number,
): T[] {
	const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
	if (words.length === 0) return items.slice(0, limit);
	const scored: { item: T; score: number }[] = [];
	for (const item of items) {
		const name = nameOf(item).toLowerCase();
		const scores = words.map((word) => score(word, name));
		if (scores.every((score) => score > 0)) {
			scored.push({ item, score: scores.reduce((sum, score) => sum + score, 0) });
		}
	}
	scored.sort((a, b) => b.score - a.score);
	return scored.slice(0, limit).map(({ item }) => item);
}
