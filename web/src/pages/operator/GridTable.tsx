import { useMemo } from "react";
import type { Entry } from "../../api/queries";
import { KeyHelp } from "../../components/KeyHelp";
import { ReasonMark } from "../../components/ReasonMark";
import { grid } from "../../lib/dispatch";
import { supportWords } from "../../lib/verdicts";
import styles from "./Operator.module.css";

interface Props {
	table: readonly Entry[];
	chosen: string | undefined;
	onKey: (key: string) => void;
}

/** The dispatch table as functionality by backend, and the keys without backends below. */
export function GridTable({ table, chosen, onKey }: Props) {
	const { backends, rows, rest } = useMemo(() => grid(table), [table]);
	return (
		<KeyHelp>
			<section className={styles.scroll} tabIndex={0} aria-label="Functionality by backend">
				<table className={styles.grid}>
					<caption className="visually-hidden">Functionality by backend</caption>
					<thead>
						<tr>
							<td />
							{backends.map((backend) => (
								<th key={backend} scope="col">
									<span>{backend}</span>
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{rows.map(({ functionality, cells }) => (
							<tr key={functionality}>
								<th scope="row">{functionality.replace("Functionality", "")}</th>
								{cells.map((entry, at) => (
									<td key={backends[at]}>
										{entry && <Cell entry={entry} chosen={chosen} onKey={onKey} />}
									</td>
								))}
							</tr>
						))}
					</tbody>
				</table>
			</section>
			<ul className={styles.rest} aria-label="Keys without backends">
				{rest.map((entry) => (
					<li key={entry.key}>
						<button
							type="button"
							className={styles.key}
							data-key={entry.key}
							aria-expanded={entry.key === chosen}
							onClick={() => onKey(entry.key)}
						>
							<ReasonMark reason={entry.reason} /> {entry.key}
						</button>
					</li>
				))}
			</ul>
		</KeyHelp>
	);
}

function Cell({ entry, chosen, onKey }: { entry: Entry } & Omit<Props, "table">) {
	return (
		<button
			type="button"
			className={styles.cell}
			aria-expanded={entry.key === chosen}
			aria-label={`${entry.key}: ${entry.reason}; ${entry.support.verdict}`}
			data-key={entry.key}
			data-help={`${entry.reason}; ${supportWords(entry.support)}`}
			onClick={() => onKey(entry.key)}
		>
			<ReasonMark reason={entry.reason} />
		</button>
	);
}
