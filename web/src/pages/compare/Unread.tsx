import type { Finding } from "../../api/queries";
import { RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import type { Comparison } from "../../lib/comparison";
import { counted } from "../../lib/format";
import styles from "./Compare.module.css";

/** How many of a kind are listed. */
const SHOWN = 200;

/** What could not be read, loud, and the errors that either side has. */
export function Unread({ comparison }: { comparison: Comparison }) {
	const { unread, base_findings, head_findings } = comparison;
	return (
		<>
			{unread.length > 0 && (
				<section className={styles.unread} role="alert" aria-label="Not read">
					<h2>{counted(unread.length, "entry").replace("entrys", "entries")} could not be read</h2>
					<p>These entries were not compared. Fix them and compare again.</p>
					<ul>
						{unread.slice(0, SHOWN).map(({ side, operator, message, span }) => (
							<li key={`${side} ${operator} ${span?.line} ${message}`}>
								<strong>{side}</strong> {span && <code>line {span.line}</code>}{" "}
								{operator && <code>{operator}</code>} <Prose text={message} />
							</li>
						))}
					</ul>
				</section>
			)}
			<Errors title="base" findings={base_findings} />
			<Errors title="head" findings={head_findings} />
		</>
	);
}

function Errors({ title, findings }: { title: string; findings: readonly Finding[] }) {
	if (findings.length === 0) return null;
	return (
		<details className={styles.errors}>
			<summary>
				{counted(findings.length, "error")} in the {title}
			</summary>
			<ul>
				{findings.slice(0, SHOWN).map((finding) => (
					<li
						key={`${finding.file} ${finding.span.line} ${finding.span.column} ${finding.message}`}
					>
						<RuleLink name={finding.rule} />{" "}
						<code>
							{finding.file}:{finding.span.line}
						</code>{" "}
						<Prose text={finding.message} />
					</li>
				))}
			</ul>
		</details>
	);
}
