import { useCallback, useMemo, useState } from "react";
import type { Comparison } from "../../lib/comparison";
import { keepViewed, viewedOf } from "../../lib/viewed";

/** The browser's storage, where it allows one. */
function storage(): Storage | undefined {
	try {
		return localStorage;
	} catch {
		return undefined;
	}
}

interface Viewed {
	viewed: ReadonlySet<string>;
	toggle: (id: string) => void;
}

/** The causes of a comparison that are marked as viewed; this browser keeps them by both digests. */
export function useViewed({ base, head }: Pick<Comparison, "base" | "head">): Viewed {
	const pair = `${base.revision}...${head.revision}`;
	const [changed, setChanged] = useState<{ pair: string; viewed: ReadonlySet<string> }>();
	const kept = useMemo(() => {
		const place = storage();
		return place ? viewedOf(place, pair) : new Set<string>();
	}, [pair]);
	const viewed = changed?.pair === pair ? changed.viewed : kept;
	const toggle = useCallback(
		(id: string) => {
			const next = new Set(viewed);
			if (!next.delete(id)) next.add(id);
			setChanged({ pair, viewed: next });
			const place = storage();
			if (place) keepViewed(place, pair, next);
		},
		[viewed, pair],
	);
	return { viewed, toggle };
}
