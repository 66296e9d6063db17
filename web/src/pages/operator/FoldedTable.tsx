import { useState } from "react";
import type { Entry } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { KeyHelp } from "../../components/KeyHelp";
import { ReasonMark } from "../../components/ReasonMark";
import { type Folded, originWords } from "../../lib/dispatch";
import { supportWords } from "../../lib/verdicts";
import styles from "./Operator.module.css";

interface Props {
	rows: readonly Folded[];
	chosen: string | undefined;
	onKey: (key: string) => void;
}

/** How many keys a row shows before it is opened. */
const SHOWN = 16;

/** The dispatch table with equal rows folded. */
export function FoldedTable({ rows, chosen, onKey }: Props) {
	return (
		<KeyHelp>
			<ul className={styles.folded} aria-label="Rows of the dispatch table">
				{rows.map((row) => (
					<Row key={row.id} row={row} chosen={chosen} onKey={onKey} />
				))}
			</ul>
		</KeyHelp>
	);
}

function Row({ row, chosen, onKey }: { row: Folded } & Omit<Props, "rows">) {
	const [open, setOpen] = useState(false);
	const holdsChosen = row.entries.findIndex(({ key }) => key === chosen) >= SHOWN;
	const all = open || holdsChosen || row.entries.length <= SHOWN + 2;
	const shown = all ? row.entries : row.entries.slice(0, SHOWN);
	return (
		<li>
			<div className={styles.what}>
				<ReasonMark reason={row.reason} label />
				{row.kernel && <code className={styles.kernel}>{row.kernel}</code>}
				{row.alias && (
					<span className={styles.origin}>
						by <code>{row.alias}</code>
					</span>
				)}
				{row.fallthrough && (
					<Badge title="Passes the call to the next key">fallthrough</Badge>
				)}
				{row.origin && <span className={styles.origin}>{originWords(row.origin)}</span>}
				{row.file && (
					<span className={styles.origin}>
						{row.file}
						{row.line !== null && `:${row.line}`}
					</span>
				)}
				{!row.derivable && (
					<Badge tone="warning" title={row.cause ?? undefined}>
						not in the files
					</Badge>
				)}
			</div>
			<div className={styles.keys}>
				{shown.map((entry) => (
					<KeyButton key={entry.key} entry={entry} chosen={chosen} onKey={onKey} />
				))}
				{!all && (
					<button type="button" className={styles.more} onClick={() => setOpen(true)}>
						{row.entries.length - SHOWN} more
					</button>
				)}
			</div>
		</li>
	);
}

interface KeyProps {
	entry: Entry;
	chosen: string | undefined;
	onKey: (key: string) => void;
}

function KeyButton({ entry, chosen, onKey }: KeyProps) {
	return (
		<button
			type="button"
			className={styles.key}
			aria-expanded={entry.key === chosen}
			data-key={entry.key}
			data-help={[supportWords(entry.support), entry.file].filter(Boolean).join("; ")}
			onClick={() => onKey(entry.key)}
		>
			{entry.key}
		</button>
	);
}
