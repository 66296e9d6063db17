const KEY = "opatlas.viewed";

/** Marks of so many comparisons are kept; those of the one looked at longest ago go first. */
const MOST = 50;

type Marks = Record<string, string[]>;

function marks(storage: Storage): Marks {
	try {
		const kept: unknown = JSON.parse(storage.getItem(KEY) ?? "{}");
		if (typeof kept !== "object" || kept === null) return {};
		const lists = Object.entries(kept).filter(([, ids]) => Array.isArray(ids));
		return Object.fromEntries(lists) as Marks;
	} catch {
		return {};
	}
}

/** The causes of a comparison that were marked as viewed. `pair` names it by both digests. */
export const viewedOf = (storage: Storage, pair: string): ReadonlySet<string> =>
	new Set(marks(storage)[pair] ?? []);

/** Keeps the marks of a comparison. A browser that stores nothing forgets them with the page. */
export function keepViewed(storage: Storage, pair: string, ids: ReadonlySet<string>): void {
	const { [pair]: _, ...others } = marks(storage);
	const kept = Object.entries(others).slice(1 - MOST);
	try {
		const all = ids.size === 0 ? kept : [...kept, [pair, [...ids]]];
		storage.setItem(KEY, JSON.stringify(Object.fromEntries(all)));
	} catch {
		// The marks still hold on this page.
	}
}
