import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { usePrinting } from "../lib/usePrinting";
import { useItemKeys } from "./stepKeys";
import styles from "./VirtualList.module.css";

interface Props<T> {
	label: string;
	items: readonly T[];
	/** The height of a row before it is measured, in pixels. */
	estimate: number;
	keyOf: (item: T, index: number) => string;
	render: (item: T, index: number) => ReactNode;
	/** What Enter does with the row that arrows reached; without it, it follows the row's link. */
	onOpen?: (item: T) => void;
	/** Whether `j` and `k` move in it from wherever one is in the view. */
	itemKeys?: boolean;
}

const isStep = (key: string) =>
	["ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp"].includes(key);

/**
 * A list of any length in a box of its own: only what is seen is drawn. Arrows, Home, End and the
 * page keys move the focus from row to row, with `itemKeys` so do `j` and `k`; Enter opens, and
 * Escape goes back to the list.
 */
export function VirtualList<T>({
	label,
	items,
	estimate,
	keyOf,
	render,
	onOpen,
	itemKeys = false,
}: Props<T>) {
	const box = useRef<HTMLDivElement>(null);
	const [active, setActive] = useState(0);
	const isPrinting = usePrinting();
	const virtual = useVirtualizer({
		count: items.length,
		getScrollElement: () => box.current,
		estimateSize: () => estimate,
		overscan: 8,
		// A row that scrolls out of sight keeps the focus.
		rangeExtractor: (range) => {
			if (isPrinting) return Array.from({ length: range.count }, (_, at) => at);
			const drawn = defaultRangeExtractor(range);
			return drawn.includes(active) || active >= range.count
				? drawn
				: [...drawn, active].sort((a, b) => a - b);
		},
		getItemKey: (at) => {
			const item = items[at];
			return item === undefined ? at : keyOf(item, at);
		},
	});
	useEffect(() => setActive(0), [items]);
	// The row that is to get the focus once it is drawn.
	const wanted = useRef(-1);
	const go = (to: number) => {
		const within = Math.max(0, Math.min(items.length - 1, to));
		setActive(within);
		wanted.current = within;
		virtual.scrollToIndex(within, { align: "auto" });
		focusWanted();
	};
	const focusWanted = () => {
		if (wanted.current < 0) return;
		const row = box.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
		if (!row) return;
		wanted.current = -1;
		row.focus({ preventScroll: true });
	};
	useEffect(focusWanted);
	useItemKeys((by) => {
		const isHere = box.current?.contains(document.activeElement);
		// Whoever comes from elsewhere begins with the row that was reached before.
		go(isHere && document.activeElement !== box.current ? active + by : active);
	}, itemKeys);
	const move = (event: KeyboardEvent) => {
		const isRow = event.target === box.current || (event.target as Element).getAttribute("role") === "listitem";
		if (!isRow && !isStep(event.key)) return;
		if (event.key === "Enter") {
			const item = items[active];
			if (item === undefined || !isRow) return;
			if (onOpen) onOpen(item);
			else box.current?.querySelector<HTMLElement>(`[data-index="${active}"] a`)?.click();
			return;
		}
		if (event.key === "Escape") box.current?.focus({ preventScroll: true });
		const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 400) / estimate) - 1);
		const next = {
			ArrowDown: active + 1,
			ArrowUp: active - 1,
			PageDown: active + page,
			PageUp: active - page,
			Home: 0,
			End: items.length - 1,
		}[event.key];
		if (next === undefined) return;
		event.preventDefault();
		go(next);
	};
	return (
		<div
			ref={box}
			className={styles.box}
			role="list"
			aria-label={label}
			tabIndex={0}
			onKeyDown={move}
		>
			<div className={styles.inner} style={{ height: virtual.getTotalSize() }}>
				{virtual.getVirtualItems().map((row) => {
					const item = items[row.index];
					if (item === undefined) return null;
					return (
						<div
							key={row.key}
							role="listitem"
							aria-posinset={row.index + 1}
							aria-setsize={items.length}
							data-index={row.index}
							data-active={row.index === active || undefined}
							tabIndex={-1}
							ref={virtual.measureElement}
							className={styles.row}
							style={{ transform: `translateY(${row.start}px)` }}
						>
							{render(item, row.index)}
						</div>
					);
				})}
			</div>
		</div>
	);
}
