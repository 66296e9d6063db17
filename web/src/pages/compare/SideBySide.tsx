import { useMemo } from "react";
import { diffWords, type Piece } from "../../lib/worddiff";
import styles from "./SideBySide.module.css";

interface Props {
	before: string | null;
	after: string | null;
}

/** Two texts beside each other, with the words that differ marked. */
export function SideBySide({ before, after }: Props) {
	const diff = useMemo(() => {
		if (before !== null && after !== null) return diffWords(before, after);
		// What has no other side needs no marks: all of it is old, or new.
		const whole = (text: string | null) => [{ text: text ?? "", changed: false }];
		return { old: whole(before), new: whole(after) };
	}, [before, after]);
	return (
		<div className={styles.sides}>
			<Side side="old" pieces={diff.old} absent={before === null} />
			<Side side="new" pieces={diff.new} absent={after === null} />
		</div>
	);
}

interface SideProps {
	side: "old" | "new";
	pieces: readonly Piece[];
	absent: boolean;
}

function Side({ side, pieces, absent }: SideProps) {
	return (
		<div className={styles.side} data-side={side}>
			<span className={styles.sign} aria-hidden="true">
				{side === "old" ? "−" : "+"}
			</span>
			<span className="visually-hidden">{side === "old" ? "Before: " : "After: "}</span>
			{absent ? (
				<span className={styles.absent}>{side === "old" ? "was not there" : "is gone"}</span>
			) : (
				<code>
					{pieces.map(({ text, changed }, at) => {
						const key = `${at}`;
						if (!changed) return <span key={key}>{text}</span>;
						return side === "old" ? <del key={key}>{text}</del> : <ins key={key}>{text}</ins>;
					})}
				</code>
			)}
		</div>
	);
}
