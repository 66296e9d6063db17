import { type ReactNode, useSyncExternalStore } from "react";
import styles from "./Filters.module.css";

/** Up to which width filters are folded, in pixels: there they would push the rows out of sight. */
const NARROW = window.matchMedia("(max-width: 700px)");

function watch(tell: () => void): () => void {
	NARROW.addEventListener("change", tell);
	return () => NARROW.removeEventListener("change", tell);
}

interface Props {
	/** How many of them are set. */
	set: number;
	children: ReactNode;
}

/** Filters that are one line on a narrow screen until somebody opens them. */
export function FoldedFilters({ set, children }: Props) {
	const isNarrow = useSyncExternalStore(watch, () => NARROW.matches);
	if (!isNarrow) return children;
	return (
		<details className={styles.fold}>
			<summary>{set === 0 ? "Filters" : `Filters (${set} set)`}</summary>
			<div className={styles.fields}>{children}</div>
		</details>
	);
}
