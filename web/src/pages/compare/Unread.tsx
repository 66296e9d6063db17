import type { Finding } from "../../api/queries";
import { RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import type { Comparison } from "../../lib/comparison";
import { counted } from "../../lib/format";
import styles from "./Compare.module.css";

/** How many of a kind are listed. */
const SHOWN = 200;

interface Props {
	comparison: Comparison;
	/** The new findings to list here; others stand with their changes. */
	introduced: readonly Finding[];
}

/** What could not be read, loud, the findings that the change introduces, and the errors that either
 * side has. */
export function Unread({ comparison, introduced }: Props) {
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
			<NewFindings comparison={comparison} findings={introduced} />
			<Errors title="base" findings={base_findings} />
			<Errors title="head" findings={head_findings} />
		</>
	);
}

interface NewProps {
	comparison: Comparison;
	findings: readonly Finding[];
}

/** Findings of the head that the base does not have. */
export function NewFindings({ comparison: { findings: of }, findings }: NewProps) {
	if (findings.length === 0) return null;
	return (
		<section
			className={styles.unread}
			data-severity={findings[0]?.severity}
			aria-label="New findings"
		>
			<h2>{newFindings(findings)}</h2>
			<p>
				The head has them and the base does not.
				{of.gone > 0 &&
					` ${counted(of.gone, "finding")} of the base ${of.gone === 1 ? "is" : "are"} gone.`}
			</p>
			<FindingList findings={findings} />
		</section>
	);
}

function Errors({ title, findings }: { title: string; findings: readonly Finding[] }) {
	if (findings.length === 0) return null;
	return (
		<details className={styles.errors}>
			<summary>
				{counted(findings.length, "error")} in the {title}
			</summary>
			<FindingList findings={findings} />
		</details>
	);
}

/** `2 new errors, 1 new warning`. */
function newFindings(findings: readonly Finding[]): string {
	const parts = (["error", "warning"] as const).map((severity) => {
		const number = findings.filter((finding) => finding.severity === severity).length;
		return number > 0 ? counted(number, `new ${severity}`) : "";
	});
	return parts.filter((part) => part !== "").join(", ");
}

function FindingList({ findings }: { findings: readonly Finding[] }) {
	return (
		<ul>
			{findings.slice(0, SHOWN).map((finding) => (
				<li key={`${finding.file} ${finding.span.line} ${finding.span.column} ${finding.message}`}>
					<RuleLink name={finding.rule} />{" "}
					<code>
						{finding.file}:{finding.span.line}
					</code>{" "}
					{finding.operator && <code>{finding.operator}</code>} <Prose text={finding.message} />
				</li>
			))}
		</ul>
	);
}
