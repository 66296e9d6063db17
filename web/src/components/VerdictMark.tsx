import type { ReactNode } from "react";
import { VERDICTS, verdictOf } from "../lib/verdicts";
import styles from "./VerdictMark.module.css";

interface Props {
	verdict: string;
	/** Whether its name stands beside it. */
	label?: boolean;
}

/** The symbol of a verdict. */
export function VerdictMark({ verdict, label = false }: Props) {
	const { name, glyph, short, meaning } = verdictOf(verdict);
	return (
		<span className={`${styles.mark} ${verdictClass(name)}`} title={meaning}>
			<span aria-hidden="true">{glyph}</span>
			{label ? <span>{short}</span> : <span className="visually-hidden">{short}</span>}
		</span>
	);
}

/** The class that colors a verdict's symbol, for lists that draw it themselves. */
export const verdictClass = (verdict: string): string => styles[verdictOf(verdict).works] ?? "";

/** The classes of a cell that a verdict fills. */
export const verdictFill = (verdict: string): string => `${styles.filled} ${verdictClass(verdict)}`;

/** What the symbols mean, with further items that stand beside them. */
export function VerdictLegend({ children }: { children?: ReactNode }) {
	return (
		<ul className={styles.legend} aria-label="Legend">
			{VERDICTS.map(({ name, glyph, short, meaning }) => (
				<li key={name} title={meaning}>
					<span className={`${styles.chip} ${verdictFill(name)}`} aria-hidden="true">
						{glyph}
					</span>
					{short}
				</li>
			))}
			{children}
		</ul>
	);
}
