import { type KeyboardEvent, type ReactNode, useRef } from "react";
import styles from "./Rows.module.css";
import { useItemKeys } from "./stepKeys";

/** What makes an element a row, which keys move to. */
export const ROW = { "data-row": "", tabIndex: -1 } as const;

/**
 * Lists that are drawn whole, with the keys of `VirtualList`: `j` and `k` from wherever one is in
 * the view, arrows, Home and End move the focus from row to row, Enter follows the first link of a
 * row, and Escape leaves the rows. A view has one, around all its lists.
 */
export function Rows({ children }: { children: ReactNode }) {
	const box = useRef<HTMLDivElement>(null);
	const reached = useRef(0);
	const rows = () => [...(box.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
	const go = (all: readonly HTMLElement[], to: number) => {
		const at = Math.max(0, Math.min(all.length - 1, to));
		reached.current = at;
		all[at]?.focus();
		all[at]?.scrollIntoView({ block: "nearest" });
	};
	const current = (all: readonly HTMLElement[]) =>
		all.findIndex((row) => row.contains(document.activeElement));
	useItemKeys((by) => {
		const all = rows();
		const from = current(all);
		// Whoever comes from elsewhere begins with the row that was reached before.
		go(all, from < 0 ? reached.current : from + by);
	}, true);
	const press = (event: KeyboardEvent) => {
		const target = event.target as HTMLElement;
		if (event.key === "Escape" && target !== box.current) {
			box.current?.focus({ preventScroll: true });
		}
		if (target.dataset.row === undefined) return;
		if (event.key === "Enter") target.querySelector("a")?.click();
		const all = rows();
		const at = current(all);
		const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
		if (next === undefined) return;
		event.preventDefault();
		go(all, next);
	};
	return (
		<div ref={box} tabIndex={-1} className={styles.rows} onKeyDown={press}>
			{children}
		</div>
	);
}
