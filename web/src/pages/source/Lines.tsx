import { useVirtualizer } from "@tanstack/react-virtual";
import { Fragment, useEffect, useRef } from "react";
import type { Finding } from "../../api/queries";
import { SeverityBadge } from "../../components/Badge";
import { OperatorLink, RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import { cutAt, type SourceRow } from "../../lib/sourceLines";
import type { Part } from "../../lib/yamlLine";
import styles from "./Source.module.css";

/** The height of a line that is not wrapped, in pixels. */
const LINE = 24;

interface Props {
	label: string;
	rows: readonly SourceRow[];
	/** The line in view. */
	at: number | undefined;
	/** What is looked for, which is marked. */
	q: string | undefined;
	/** How a line is drawn in parts; without it as plain text. */
	parts: ((line: string) => readonly Part[]) | undefined;
}

/** Lines of a file in a box of their own, with findings under them; only what is seen is drawn. */
export function Lines({ label, rows, at, q, parts }: Props) {
	const box = useRef<HTMLElement>(null);
	const virtual = useVirtualizer({
		count: rows.length,
		getScrollElement: () => box.current,
		estimateSize: (index) => (rows[index]?.kind === "finding" ? LINE * 1.5 : LINE),
		overscan: 20,
	});
	useEffect(() => {
		if (at === undefined) return;
		const index = rows.findIndex(({ line }) => line === at);
		if (index >= 0) virtual.scrollToIndex(index, { align: "center" });
	}, [at, rows, virtual]);
	return (
		<section ref={box} className={styles.lines} tabIndex={0} aria-label={label}>
			<ol style={{ height: virtual.getTotalSize() }}>
				{virtual.getVirtualItems().map((item) => {
					const row = rows[item.index];
					if (!row) return null;
					return (
						<li
							key={item.key}
							data-index={item.index}
							ref={virtual.measureElement}
							data-found={row.kind === "line" ? row.severity : undefined}
							aria-current={(row.kind === "line" && row.line === at) || undefined}
							style={{ transform: `translateY(${item.start}px)` }}
						>
							{row.kind === "line" ? (
								<Line row={row} q={q} parts={parts} />
							) : (
								<Found finding={row.finding} />
							)}
						</li>
					);
				})}
			</ol>
		</section>
	);
}

interface LineProps extends Pick<Props, "q" | "parts"> {
	row: Extract<SourceRow, { kind: "line" }>;
}

function Line({ row, q, parts }: LineProps) {
	const of = parts?.(row.text) ?? [{ kind: "text", text: row.text } as const];
	return (
		<span className={styles.line}>
			<a href={`#L${row.line}`} className={styles.number} aria-label={`Line ${row.line}`}>
				{row.line}
			</a>
			<code>
				{of.map(({ kind, text }, at) => {
					const key = `${at}`;
					const marked = <Marked text={text} q={q} />;
					if (kind === "text") return <Fragment key={key}>{marked}</Fragment>;
					if (kind !== "operator") {
						return (
							<span key={key} className={styles[kind]}>
								{marked}
							</span>
						);
					}
					return (
						<OperatorLink key={key} name={text}>
							{marked}
						</OperatorLink>
					);
				})}
			</code>
		</span>
	);
}

/** A text in which what is looked for is marked. */
function Marked({ text, q }: { text: string; q: string | undefined }) {
	return cutAt(text, q).map((part, at) => {
		const key = `${at}`;
		return at % 2 === 1 ? <mark key={key}>{part}</mark> : <Fragment key={key}>{part}</Fragment>;
	});
}

function Found({ finding }: { finding: Finding }) {
	return (
		<span className={styles.finding}>
			<SeverityBadge severity={finding.severity} />{" "}
			<span>
				<Prose text={finding.message} />
			</span>{" "}
			<RuleLink name={finding.rule} />
		</span>
	);
}
