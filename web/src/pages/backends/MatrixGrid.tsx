import { Link } from "@tanstack/react-router";
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
	type CSSProperties,
	type KeyboardEvent,
	memo,
	type Ref,
	useCallback,
	useEffect,
	useImperativeHandle,
	useMemo,
	useRef,
	useState,
} from "react";
import type { MatrixView, Place } from "../../api/queries";
import { reasonClass } from "../../components/ReasonMark";
import { usePlace } from "../../layout/place";
import { served, type Tally, tallies, total } from "../../lib/coverage";
import { percent } from "../../lib/format";
import { cellIndex, type MatrixOperator } from "../../lib/matrix";
import { reasonOf } from "../../lib/reasons";
import { keyPath, operatorPath } from "../../nav";
import { useGridKeys } from "./gridKeys";
import styles from "./MatrixGrid.module.css";

const ROW = 24;
/** Columns are wider where there are few. */
const WIDE = 40;
const NARROW = 26;
const FEW = 24;
const OVERSCAN = 4;
/** The most that the heads take, and what they take besides their names. */
const HEADS = 152;
const UNDER = 40;
/** About how high a letter of a name that stands upright is. */
const LETTER = 7.8;
/** How wide the names of operators are, as the style sheet has it. */
const names = () => (window.innerWidth <= 640 ? 144 : 272);

/** What the overview does with the grid. */
export interface GridHandle {
	/** The scrolling box. */
	box: HTMLElement | null;
	/** Scrolls to a part of the rows, from 0 to 1. */
	scrollTo: (share: number) => void;
}

interface Props {
	ref: Ref<GridHandle>;
	view: MatrixView;
	operators: readonly MatrixOperator[];
	columns: readonly number[];
	/** The cell that is explained, as operator and key. */
	chosen: string | undefined;
	onChoose: (cell: string) => void;
}

/** What a cell looks like and is called, by its place in `cells`. */
interface Look {
	glyph: string;
	className: string;
	name: string;
}

/**
 * Operators by keys, with only what is seen in the document. One cell at a time takes the focus;
 * arrows, Home, End and the page keys move it, and it stays where it is while the grid scrolls.
 */
export function MatrixGrid({ ref, view, operators, columns, chosen, onChoose }: Props) {
	const place = usePlace();
	const step = columns.length <= FEW && window.innerWidth > 900 ? WIDE : NARROW;
	const high = useMemo(() => {
		const longest = Math.max(...columns.map((at) => view.keys[at]?.key.length ?? 0));
		return Math.min(HEADS, Math.ceil(UNDER + LETTER * longest));
	}, [view, columns]);
	const box = useRef<HTMLDivElement>(null);
	const [active, setActive] = useState({ row: 0, column: 0 });
	const row = Math.min(active.row, operators.length - 1);
	const column = Math.min(active.column, columns.length - 1);
	// The active cell stays in the document wherever one scrolls, so that it keeps the focus.
	const keeping = (kept: number) => (range: Range) => {
		const seen = defaultRangeExtractor(range);
		return seen.includes(kept) ? seen : [...seen, kept].sort((a, b) => a - b);
	};
	const rows = useVirtualizer({
		count: operators.length,
		getScrollElement: () => box.current,
		estimateSize: () => ROW,
		overscan: OVERSCAN,
		scrollPaddingEnd: high,
		rangeExtractor: keeping(row),
	});
	const across = useVirtualizer({
		horizontal: true,
		count: columns.length,
		getScrollElement: () => box.current,
		estimateSize: () => step,
		getItemKey: (index) => `${index} ${step}`,
		overscan: OVERSCAN,
		scrollPaddingEnd: names(),
		rangeExtractor: keeping(column),
	});
	useImperativeHandle(ref, () => ({
		get box() {
			return box.current;
		},
		scrollTo: (share) =>
			rows.scrollToIndex(Math.floor(share * operators.length), { align: "center" }),
	}));
	useEffect(() => {
		box.current?.scrollTo({ top: 0 });
		setActive((active) => ({ ...active, row: 0 }));
	}, [operators]);
	const looks = useMemo(
		() =>
			view.cells.map((cell): Look => {
				const { glyph, name } = reasonOf(cell.reason);
				const by = cell.alias === null ? name : `${name}, by ${cell.alias}`;
				return { glyph, className: reasonClass(cell.reason), name: by };
			}),
		[view],
	);
	const heads = useMemo(() => tallies(view, operators, columns), [view, operators, columns]);
	const counts = useMemo(() => served(view, columns), [view, columns]);
	const move = useGridKeys({ box, row, column, rows: operators.length, columns: columns.length });
	const choose = useCallback(
		(row: number, column: number) => {
			const operator = operators[row];
			const key = view.keys[columns[column] ?? -1];
			if (operator && key) onChoose(`${operator.name},${key.key}`);
		},
		[operators, columns, view, onChoose],
	);
	const press = (event: KeyboardEvent) => {
		const cell = (event.target as HTMLElement).closest("[data-column]");
		if (!cell) return;
		if (event.key === "Enter" || event.key === " ") {
			event.preventDefault();
			choose(row, column);
			return;
		}
		const to = move(event);
		if (!to) return;
		setActive(to);
		rows.scrollToIndex(to.row);
		across.scrollToIndex(to.column);
	};
	const shown = across.getVirtualItems();
	const seen = shown.map(({ index }) => index);
	const width = across.getTotalSize();
	return (
		<div
			ref={box}
			className={styles.box}
			role="grid"
			aria-label="Operators by keys"
			aria-rowcount={operators.length + 1}
			aria-colcount={columns.length + 1}
			onKeyDown={press}
			onClick={(event) => {
				const at = placeOf(event.target);
				if (!at) return;
				setActive(at);
				choose(at.row, at.column);
			}}
		>
			<div
				className={styles.sheet}
				style={
					{
						"--step": `${step}px`,
						"--heads": `${high}px`,
						width: `calc(var(--names) + ${width}px + 1rem)`,
					} as CSSProperties
				}
			>
				<div className={styles.heads} role="row" aria-rowindex={1}>
					<div className={styles.corner} role="columnheader" aria-colindex={1}>
						Operator
					</div>
					{shown.map(({ index, start }) => (
						<Head
							key={columns[index]}
							name={view.keys[columns[index] ?? -1]?.key ?? ""}
							counts={heads[index]}
							index={index}
							start={start}
							place={place}
						/>
					))}
				</div>
				<div style={{ height: rows.getTotalSize() }} role="rowgroup" className={styles.rows}>
					{rows.getVirtualItems().map(({ index, start }) => {
						const operator = operators[index];
						if (!operator) return null;
						return (
							<Row
								key={operator.name}
								view={view}
								looks={looks}
								operator={operator}
								columns={columns}
								served={counts[operator.row] ?? 0}
								index={index}
								start={start}
								seen={seen.join()}
								step={step}
								active={index === row ? column : -1}
								chosen={chosen?.startsWith(`${operator.name},`) ? chosen : undefined}
								place={place}
							/>
						);
					})}
				</div>
			</div>
		</div>
	);
}

/** The row and column of the cell that something lies in. */
function placeOf(target: EventTarget) {
	const cell = (target as HTMLElement).closest<HTMLElement>("[data-column]");
	const row = cell?.closest<HTMLElement>("[data-row]");
	if (!cell || !row) return undefined;
	return { row: Number(row.dataset.row), column: Number(cell.dataset.column) };
}

interface HeadProps {
	name: string;
	counts: Tally | undefined;
	/** The place of the column in the grid. */
	index: number;
	start: number;
	place: Place;
}

/** A column's key, with how many of the operators shown it serves. */
const Head = memo(function Head({ name, counts, index, start, place }: HeadProps) {
	const share = counts ? percent(total(counts) - counts.missing, total(counts)) : "";
	return (
		<div
			className={styles.head}
			role="columnheader"
			aria-colindex={index + 2}
			style={{ left: `calc(var(--names) + ${start}px)` }}
			title={`${name}: ${share} served`}
		>
			<Link to={keyPath(place, name)} tabIndex={-1} preload={false}>
				{name}
			</Link>
			<small>{Math.floor(Number.parseFloat(share)) || 0}</small>
		</div>
	);
});

interface RowProps {
	view: MatrixView;
	looks: readonly Look[];
	operator: MatrixOperator;
	columns: readonly number[];
	/** How many of the columns serve the operator. */
	served: number;
	index: number;
	start: number;
	/** The columns in the document, as a comma list: one text is compared faster than a list. */
	seen: string;
	/** The width of a column. */
	step: number;
	/** The column of the active cell; -1 where it is in another row. */
	active: number;
	chosen: string | undefined;
	place: Place;
}

const Row = memo(function Row(props: RowProps) {
	const {
		view,
		looks,
		operator,
		columns,
		served,
		index,
		start,
		seen,
		step,
		active,
		chosen,
		place,
	} = props;
	return (
		<div
			className={styles.row}
			role="row"
			aria-rowindex={index + 2}
			data-row={index}
			style={{ top: start }}
		>
			<div className={styles.name} role="rowheader" aria-colindex={1} title={operator.name}>
				<Link to={operatorPath(place, operator.name)} tabIndex={-1} preload={false}>
					{operator.name}
				</Link>
				<small>
					{served}/{columns.length}
				</small>
			</div>
			{seen.split(",").map((text, nth, all) => {
				const at = Number(text);
				const gap = at - (nth === 0 ? 0 : Number(all[nth - 1]) + 1);
				const column = columns[at] ?? 0;
				const look = looks[cellIndex(view, operator, column)];
				const key = view.keys[column]?.key;
				return (
					<div
						key={column}
						role="gridcell"
						aria-colindex={at + 2}
						data-column={at}
						tabIndex={at === active ? 0 : -1}
						aria-expanded={chosen === `${operator.name},${key}`}
						aria-label={`${key}: ${look?.name}`}
						className={`${styles.cell} ${look?.className}`}
						style={gap > 0 ? { marginInlineStart: gap * step } : undefined}
					>
						{look?.glyph}
					</div>
				);
			})}
		</div>
	);
});
