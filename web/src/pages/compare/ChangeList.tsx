import { useRouterState } from "@tanstack/react-router";
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/controls";
import { Empty } from "../../components/States";
import { useStepKeys } from "../../components/stepKeys";
import {
	type Card,
	type Change,
	type Comparison,
	type Group,
	type Grouped,
	grouped,
} from "../../lib/comparison";
import { count, counted } from "../../lib/format";
import { markIn } from "../../lib/sides";
import { usePrinting } from "../../lib/usePrinting";
import styles from "./ChangeList.module.css";
import { groupLook } from "./groups";
import { OperatorCard } from "./OperatorCard";

type Row =
	| { kind: "group"; id: string; group: Group; count: number; operators: number }
	| { kind: "card"; id: string; card: Card };

interface Props {
	/** The changes that pass the filters. */
	passing: readonly Change[];
	comparison: Comparison;
	/** Whether changes without meaning are shown from the beginning. */
	unfolded: boolean;
	onClear: (() => void) | undefined;
}

/** How much room stays under what is at the top of the window, in pixels. */
const ROOM = 16;

/** The height of what stays at the top of the window, in pixels: one line or two. */
const headerHeight = () => document.querySelector("header")?.offsetHeight ?? 0;

/** All changes by level and operator; only what is seen is drawn. */
export function ChangeList({ passing, comparison, unfolded, onClear }: Props) {
	const { operators } = comparison;
	const groups = useMemo(() => {
		const compared = new Map(operators.map((operator) => [operator.name, operator]));
		return grouped(passing, compared);
	}, [passing, operators]);
	const [open, setOpen] = useState(false);
	const isOpen = open || unfolded;
	const rows = useMemo(() => rowsOf(groups, isOpen), [groups, isOpen]);
	const box = useRef<HTMLDivElement>(null);
	const [top, setTop] = useState(0);
	useLayoutEffect(() => {
		// What stands above changes its height with the window and with what is opened there.
		const measure = () => {
			const rect = box.current?.getBoundingClientRect();
			if (rect) setTop(Math.round(rect.top + window.scrollY));
		};
		measure();
		const observer = new ResizeObserver(measure);
		observer.observe(document.body);
		return () => observer.disconnect();
	}, []);
	const isPrinting = usePrinting();
	const virtual = useWindowVirtualizer({
		count: rows.length,
		estimateSize: (at) => (rows[at]?.kind === "group" ? 60 : 210),
		overscan: 4,
		scrollMargin: top,
		rangeExtractor: (range) =>
			isPrinting
				? Array.from({ length: range.count }, (_, at) => at)
				: defaultRangeExtractor(range),
		scrollPaddingStart: headerHeight() + ROOM,
		getItemKey: (at) => rows[at]?.id ?? at,
	});
	const [active, setActive] = useState<string>();
	// Whether the active row is to get the focus once it is drawn.
	const isWanted = useRef(false);
	useEffect(() => {
		if (!isWanted.current) return;
		const card = box.current?.querySelector<HTMLElement>("article[data-active]");
		if (!card) return;
		isWanted.current = false;
		card.focus({ preventScroll: true });
	});
	const press = (event: KeyboardEvent) => {
		const target = event.target as HTMLElement;
		if (event.key === "Escape") box.current?.focus({ preventScroll: true });
		if (event.key === "Enter" && target.tagName === "ARTICLE") target.querySelector("a")?.click();
	};
	const go = useCallback(
		(at: number) => {
			const row = rows[at];
			if (!row) return;
			setActive(row.id);
			isWanted.current = true;
			virtual.scrollToIndex(at, { align: "start" });
		},
		[rows, virtual],
	);
	useStepKeys(
		(by) => {
			const from = rows.findIndex(({ id }) => id === active);
			const first = by > 0 ? from + 1 : (from < 0 ? rows.length : from) - 1;
			for (let at = first; at >= 0 && at < rows.length; at += by) {
				if (rows[at]?.kind === "card") return go(at);
			}
		},
		{ items: true },
	);
	const hash = useRouterState({ select: (state) => markIn(state.location.hash) });
	const isPlaced = top > 0;
	// The change that the list has gone to, so that folding rows does not lead there again.
	const reached = useRef("");
	useEffect(() => {
		if (!isPlaced || reached.current === hash) return;
		const at = rows.findIndex(
			(row) =>
				row.kind === "card" && row.card.changes.some(({ fingerprint }) => fingerprint === hash),
		);
		if (hash !== "" && at < 0) return;
		reached.current = hash;
		if (at >= 0) go(at);
	}, [hash, isPlaced, rows, go]);
	if (rows.length === 0) {
		return onClear ? (
			<Empty title="No changes match these filters">
				<Button onClick={onClear}>Clear filters</Button>
			</Empty>
		) : (
			<Empty title="Nothing changed" />
		);
	}
	return (
		<div
			ref={box}
			className={styles.list}
			style={{ height: virtual.getTotalSize() }}
			tabIndex={-1}
			onKeyDown={press}
		>
			{virtual.getVirtualItems().map((item) => {
				const row = rows[item.index];
				if (!row) return null;
				return (
					<div
						key={item.key}
						data-index={item.index}
						ref={virtual.measureElement}
						className={styles.row}
						style={{ transform: `translateY(${item.start - top}px)` }}
					>
						{row.kind === "group" ? (
							<GroupHead row={row} isOpen={isOpen} onOpen={() => setOpen(!isOpen)} />
						) : (
							<OperatorCard
								card={row.card}
								comparison={comparison}
								active={row.id === active}
								marked={hash}
							/>
						)}
					</div>
				);
			})}
		</div>
	);
}

function rowsOf(groups: readonly Grouped[], isOpen: boolean): Row[] {
	return groups.flatMap(({ group, count, cards }): Row[] => {
		const head: Row = { kind: "group", id: group, group, count, operators: cards.length };
		if (group === "none" && !isOpen) return [head];
		return [
			head,
			...cards.map((card): Row => ({ kind: "card", id: `${group} ${card.operator}`, card })),
		];
	});
}

interface HeadProps {
	row: Extract<Row, { kind: "group" }>;
	isOpen: boolean;
	onOpen: () => void;
}

function GroupHead({ row, isOpen, onOpen }: HeadProps) {
	const { title, glyph, tone, meaning } = groupLook(row.group);
	return (
		<div className={styles.group}>
			<h2>
				<Badge tone={tone}>
					<span aria-hidden="true">{glyph}</span>
				</Badge>{" "}
				{title}
			</h2>
			<span className="num">
				{counted(row.count, "change")} in {count(row.operators)}{" "}
				{row.operators === 1 ? "operator" : "operators"}
			</span>
			<span className="muted">{meaning}</span>
			{row.group === "none" && (
				<Button aria-expanded={isOpen} onClick={onOpen}>
					{isOpen ? "Fold" : "Show"}
				</Button>
			)}
		</div>
	);
}
