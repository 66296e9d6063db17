import { useNavigate } from "@tanstack/react-router";
import {
	type CSSProperties,
	type KeyboardEvent,
	type MouseEvent,
	memo,
	type Ref,
	useImperativeHandle,
	useLayoutEffect,
	useMemo,
	useRef,
} from "react";
import type { Place } from "../../api/queries";
import { usePlace } from "../../layout/place";
import { countedOnes } from "../../lib/coverage";
import { percent } from "../../lib/format";
import type { MatrixOperator } from "../../lib/matrix";
import type { Share, Sheet } from "../../lib/sheet";
import { GridBody, ROW } from "./gridBody";
import { type Cell, target } from "./gridKeys";
import styles from "./MatrixGrid.module.css";

/** How wide columns are, in pixels, where there are at most so many. */
const WIDTHS = [
	[8, 72],
	[24, 40],
] as const;
const NARROW = 26;
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
	sheet: Sheet;
	operators: readonly MatrixOperator[];
	columns: readonly number[];
	/** The cell that is explained, as operator and key. */
	chosen: string | undefined;
	onChoose: (cell: string) => void;
}

/**
 * Operators by keys, with only what is seen in the document. One cell at a time takes the focus;
 * arrows, Home, End and the page keys move it, and it stays where it is while the grid scrolls.
 */
export function MatrixGrid({ ref, sheet, operators, columns, chosen, onChoose }: Props) {
	const place = usePlace();
	const navigate = useNavigate();
	const wide = WIDTHS.find(([most]) => columns.length <= most && window.innerWidth > 900);
	const step = wide?.[1] ?? NARROW;
	const high = useMemo(() => {
		const longest = Math.max(...columns.map((at) => sheet.titles[at]?.length ?? 0));
		return Math.min(HEADS, Math.ceil(UNDER + LETTER * longest));
	}, [sheet, columns]);
	const box = useRef<HTMLDivElement>(null);
	const rows = useRef<HTMLDivElement>(null);
	const body = useRef<GridBody>(null);
	useImperativeHandle(ref, () => ({
		get box() {
			return box.current;
		},
		scrollTo: (share) => {
			const node = box.current;
			if (!node) return;
			const middle = Math.floor(share * operators.length) * ROW + ROW / 2;
			node.scrollTo({ top: middle - (node.clientHeight - high) / 2 });
		},
	}));
	const counts = useMemo(() => sheet.served(columns), [sheet, columns]);
	useLayoutEffect(() => {
		if (!box.current || !rows.current) return;
		const made = new GridBody(box.current, rows.current);
		body.current = made;
		return () => made.end();
	}, []);
	const { project, rev } = place;
	useLayoutEffect(() => {
		const place = { project, rev };
		const sizes = { step, names: names(), high };
		body.current?.show({ sheet, operators, columns, served: counts, place, ...sizes });
	}, [sheet, operators, columns, counts, project, rev, step, high]);
	useLayoutEffect(() => body.current?.choose(chosen), [chosen]);
	const choose = ({ row, column }: Cell) => {
		const operator = operators[row];
		const name = sheet.names[columns[column] ?? -1];
		if (operator && name) onChoose(`${operator.name},${name}`);
	};
	const press = (event: KeyboardEvent) => {
		if (!body.current || !placeOf(event.target)) return;
		if (event.key === "Enter" || event.key === " ") {
			event.preventDefault();
			choose(body.current.active);
			return;
		}
		const { key, ctrlKey } = event;
		const to = target(key, ctrlKey, body.current.active, operators.length, columns.length);
		if (!to) return;
		event.preventDefault();
		body.current.activate(to);
	};
	const click = (event: MouseEvent) => {
		const link = (event.target as HTMLElement).closest("a");
		if (link) {
			if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
			event.preventDefault();
			void navigate({ href: link.pathname + link.search });
			return;
		}
		const at = placeOf(event.target);
		if (!at) return;
		body.current?.activate(at);
		choose(at);
	};
	return (
		<div
			ref={box}
			className={styles.box}
			role="grid"
			aria-label={`Operators by ${sheet.noun}`}
			aria-rowcount={operators.length + 1}
			aria-colcount={columns.length + 1}
			onKeyDown={press}
			onClick={click}
		>
			<div
				className={styles.sheet}
				style={
					{
						"--step": `${step}px`,
						"--heads": `${high}px`,
						width: `calc(var(--names) + ${columns.length * step}px + 1rem)`,
					} as CSSProperties
				}
			>
				<Heads sheet={sheet} operators={operators} columns={columns} project={project} rev={rev} />
				<div
					ref={rows}
					style={{ height: operators.length * ROW }}
					role="rowgroup"
					className={styles.rows}
				/>
			</div>
		</div>
	);
}

/** The row and column of the cell that something lies in. */
function placeOf(target: EventTarget): Cell | undefined {
	const cell = (target as HTMLElement).closest<HTMLElement>("[data-column]");
	const row = cell?.closest<HTMLElement>("[data-row]");
	if (!cell || !row) return undefined;
	return { row: Number(row.dataset.row), column: Number(cell.dataset.column) };
}

interface HeadsProps extends Place {
	sheet: Sheet;
	operators: readonly MatrixOperator[];
	columns: readonly number[];
}

/** The names of all columns: they are few, and scrolling then has nothing to do with them. */
const Heads = memo(function Heads({ sheet, operators, columns, project, rev }: HeadsProps) {
	const shares = useMemo(
		() => sheet.shares(countedOnes(operators), columns),
		[sheet, operators, columns],
	);
	return (
		<div className={styles.heads} role="row" aria-rowindex={1}>
			<div className={styles.corner} role="columnheader" aria-colindex={1}>
				Operator
			</div>
			{columns.map((column, index) => {
				const name = sheet.titles[column] ?? "";
				const share = shareOf(shares[index]);
				return (
					<div
						key={column}
						className={styles.head}
						role="columnheader"
						aria-colindex={index + 2}
						title={`${name}: ${share} work`}
					>
						<a href={sheet.path({ project, rev }, column)} tabIndex={-1}>
							{name}
						</a>
						<small>{Math.floor(Number.parseFloat(share)) || 0}</small>
					</div>
				);
			})}
		</div>
	);
});

/** How many of the operators work at a column. */
const shareOf = (share: Share | undefined): string =>
	share ? percent(share.works, share.total) : "";
