import { answerLook } from "../lib/verdicts";
import { verdictClass } from "./VerdictMark";

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
