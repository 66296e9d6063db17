import { type ReactNode, useSyncExternalStore } from "react";
import styles from "./Filters.module.css";

/** Up to which width filters are folded, in pixels: there they would push the rows out of sight. */
const NARROW = window.matchMedia("(max-width: 700px)");

function watch(tell: () => void): () => void {
	NARROW.addEventListener("change", tell);
	return () => NARROW.removeEventListener("change", tell);
}

interface BarProps {
	/** What they are called; "Filters" if nothing is said. */
	label?: string;
	children: ReactNode;
}

/** Filters side by side, above what they filter. */
export function FilterBar({ label = "Filters", children }: BarProps) {
	return (
		<search className={styles.bar} aria-label={label}>
			{children}
		</search>
	);
}

/** How many pass the filters, of how many. */
export function Passing({ children }: { children: ReactNode }) {
	return (
		<p className={styles.count} role="status">
			{children}
		</p>
	);
}

interface Props {
	/** What they are called; "Filters" if nothing is said. */
	label?: string;
	/** How many of them are set. */
	set: number;
	children: ReactNode;
}

/** Whether the window is so narrow that what comes before rows pushes them out of sight. */
export const useNarrow = (): boolean => useSyncExternalStore(watch, () => NARROW.matches);

/** Filters that are one line on a narrow screen until somebody opens them. */
export function FoldedFilters({ label = "Filters", set, children }: Props) {
	if (!useNarrow()) return children;
	return (
		<details className={styles.fold}>
			<summary>{set === 0 ? label : `${label} (${set} set)`}</summary>
			<div className={styles.fields}>{children}</div>
		</details>
	);
}
