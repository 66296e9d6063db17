import { REASONS, reasonOf } from "../lib/reasons";
import styles from "./ReasonMark.module.css";

interface Props {
	/** The reason, as the API names it. */
	reason: string;
	/** Whether its short name stands beside the mark. */
	label?: boolean | undefined;
}

/** A reason by colour, shape and, for screen readers or beside it, name. */
export function ReasonMark({ reason, label = false }: Props) {
	const { id, glyph, short, name } = reasonOf(reason);
	return (
		<span className={styles.reason} title={name}>
			<span className={`${styles.mark} ${styles[id]}`} aria-hidden="true">
				{glyph}
			</span>
			{label ? <span>{short}</span> : <span className="visually-hidden">{name}</span>}
		</span>
	);
}

/** The class that colours a reason's glyph, for lists that draw it themselves. */
export function reasonClass(reason: string): string {
	return styles[reasonOf(reason).id] ?? "";
}

/** What the marks mean: the closed set. */
export function Legend() {
	return (
		<ul className={styles.legend} aria-label="Legend">
			<ReasonItems />
		</ul>
	);
}

/** The marks as items of a legend. */
export const ReasonItems = () =>
	REASONS.map((reason) => (
		<li key={reason.name} title={reason.meaning}>
			<ReasonMark reason={reason.name} label />
		</li>
	));
