import { answerLook } from "../lib/verdicts";
import { verdictClass } from "./VerdictMark";
import styles from "./VerdictMark.module.css";

interface Props {
	/** The answer to whether calls work; null if there is nothing that could work or fail. */
	works: string | null | undefined;
	/** Whether nothing of the operator's own serves it. */
	missing: boolean;
	/** What stands beside the symbol. */
	children: string;
}

/** A fate with the symbol of what it amounts to. */
export function WayMark({ works, missing, children }: Props) {
	if (works == null) {
		return (
			<span>
				<span aria-hidden="true">–</span> {children}
			</span>
		);
	}
	const { name, glyph } = answerLook(works, missing);
	return (
		<span className={verdictClass(name)}>
			<span aria-hidden="true">{glyph}</span> {children}
		</span>
	);
}

const ANSWERS = [
	{ works: "yes", missing: false, means: "Works" },
	{ works: "yes", missing: true, means: "Works, but only through something general" },
	{ works: "partly", missing: false, means: "Works in some cases" },
	{ works: "no", missing: true, means: "Fails" },
	{ works: "unknown", missing: false, means: "Unknown" },
	{ works: null, missing: false, means: "Nothing to differentiate" },
];

/** What the symbols of fates mean. */
export function AnswerLegend() {
	return (
		<ul className={styles.legend} aria-label="Fates">
			{ANSWERS.map(({ works, missing, means }) => (
				<li key={means}>
					<WayMark works={works} missing={missing}>
						{means}
					</WayMark>
				</li>
			))}
		</ul>
	);
}
