import type { ReactNode } from "react";
import styles from "./Table.module.css";

interface Props {
	label: string;
	/** Whether all columns but the first are numbers. */
	numbers?: boolean;
	/** Whether the names of rows stay while the rest scrolls sideways. */
	names?: boolean;
	/** Whether it may be so long that it scrolls in a box of its own, below its header. */
	tall?: boolean;
	/** What follows the table in its box. */
	after?: ReactNode;
	children: ReactNode;
}

/** A table in a box that scrolls where the window is too narrow, by keyboard too. */
export function Table(props: Props) {
	const { label, numbers = false, names = false, tall = false, after, children } = props;
	return (
		<section
			className={styles.scroll}
			tabIndex={0}
			aria-label={label}
			data-tall={tall || undefined}
		>
			<table
				className={styles.table}
				data-numbers={numbers || undefined}
				data-names={names || undefined}
			>
				{children}
			</table>
			{after}
		</section>
	);
}
