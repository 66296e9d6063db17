import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { Finding } from "../../api/queries";
import { SeverityBadge } from "../../components/Badge";
import { RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import type { SourceRow } from "../../lib/sourceLines";
import styles from "./Source.module.css";

/** The height of a line that is not wrapped, in pixels. */
const LINE = 24;

interface Props {
	label: string;
	rows: readonly SourceRow[];
	/** The line in view. */
	at: number | undefined;
}

/** Lines of a file in a box of their own, with findings under them; only what is seen is drawn. */
export function Lines({ label, rows, at }: Props) {
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
							{row.kind === "line" ? <Line row={row} /> : <Found finding={row.finding} />}
						</li>
					);
				})}
			</ol>
		</section>
	);
}

function Line({ row }: { row: Extract<SourceRow, { kind: "line" }> }) {
	return (
		<span className={styles.line}>
			<a href={`#L${row.line}`} className={styles.number} aria-label={`Line ${row.line}`}>
				{row.line}
			</a>
			<code>{row.text}</code>
		</span>
	);
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
