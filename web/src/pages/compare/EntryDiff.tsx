import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { operatorQuery } from "../../api/queries";
import type { Change, ComparedOperator, Comparison } from "../../lib/comparison";
import { diffLines, entryAt } from "../../lib/entries";
import { digestIn } from "../../lib/revisions";
import type { Sides } from "../../lib/sides";
import { DECLARATIONS } from "../../nav";
import styles from "./Review.module.css";

interface Props {
	changes: readonly Change[];
	compared: ComparedOperator | undefined;
	comparison: Comparison;
	/** The texts where they were pasted; stored sides are asked for. */
	texts: Sides | undefined;
}

/** How the entry of an operator changed in `native_functions.yaml`; nothing where a side has none. */
export function EntryDiff({ changes, compared, comparison, texts }: Props) {
	const change = changes.find(
		({ file, base_span, head_span }) => file === DECLARATIONS && base_span && head_span,
	);
	const isWritten = change !== undefined && !compared?.generated;
	const before = useEntry(
		isWritten ? comparison.base : undefined,
		change?.operator ?? "",
		texts && change?.base_span ? entryAt(texts.base, change.base_span.line) : undefined,
	);
	const after = useEntry(
		isWritten ? comparison.head : undefined,
		nameIn(compared?.new) ?? change?.operator ?? "",
		texts && change?.head_span ? entryAt(texts.head, change.head_span.line) : undefined,
	);
	const lines = useMemo(
		() => (before !== undefined && after !== undefined ? diffLines(before, after) : undefined),
		[before, after],
	);
	if (!lines) return null;
	return (
		<section className={styles.diff} tabIndex={0} aria-label="Entry before and after">
			<ol>
				{lines.map(({ sign, text }, at) => (
					<li key={`${at}`} data-sign={sign}>
						<span aria-hidden="true">{sign}</span>
						{sign !== " " && (
							<span className="visually-hidden">{sign === "-" ? "removed: " : "added: "}</span>
						)}
						<code>{text}</code>
					</li>
				))}
			</ol>
		</section>
	);
}

/** The name in a schema: what stands before its arguments. */
const nameIn = (schema: string | null | undefined) => schema?.split("(", 1)[0]?.trim();

/** An entry's text: what is at hand, or that of a stored side. */
function useEntry(
	side: Comparison["base"] | undefined,
	operator: string,
	given: string | undefined,
): string | undefined {
	const place = { project: side?.project ?? "", digest: digestIn(side?.revision ?? "") };
	const isAsked = given === undefined && place.project !== "" && operator !== "";
	const query = useQuery({ ...operatorQuery(place, operator), enabled: isAsked });
	return given ?? (isAsked ? query.data?.source?.text : undefined);
}
