import type { ReactNode } from "react";
import { count } from "../lib/format";
import styles from "./Meter.module.css";

/** A part of what is counted: a verdict, or how a key serves operators. */
export interface Part {
	part: string;
	count: number;
}

interface MeterProps {
	/** In the order in which they are drawn; those without a colour leave the bar empty. */
	parts: readonly Part[];
	/** How many there are in all. */
	of: number;
	thick?: boolean;
}

/** A bar of shares. The figures are beside it for who does not see it, and in its tooltip. */
export function Meter({ parts, of, thick = false }: MeterProps) {
	return (
		<span
			className={styles.meter}
			data-thick={thick || undefined}
			title={parts.map(({ part, count: n }) => `${count(n)} ${part}`).join(", ")}
		>
			{parts.map(({ part, count: n }) => (
				<span key={part} data-part={part} style={{ width: `${of === 0 ? 0 : (n / of) * 100}%` }} />
			))}
		</span>
	);
}

interface FigureProps {
	part: string;
	count: number;
	/** What is counted, with its share and how that changed. */
	label: string;
	/** What stands under it. */
	note?: ReactNode;
}

/** Figures side by side, in the colours of the bar. */
export function Figures({ items }: { items: readonly FigureProps[] }) {
	return (
		<div className={styles.figures}>
			{items.map(({ part, count: n, label, note }) => (
				<div key={part} className={styles.figure} data-part={part}>
					<strong>{count(n)}</strong>
					<span>{label}</span>
					{note}
				</div>
			))}
		</div>
	);
}
