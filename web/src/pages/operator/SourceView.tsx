import type { Finding, OperatorPage } from "../../api/queries";
import { SeverityBadge } from "../../components/Badge";
import { Prose } from "../../components/Prose";
import styles from "./SourceView.module.css";

type Source = NonNullable<OperatorPage["source"]>;

/** Lines of a file with their numbers, and findings under the lines that they are about. */
export function SourceView({ source, findings }: { source: Source; findings: readonly Finding[] }) {
	const lines = source.text.replace(/\n$/, "").split("\n");
	return (
		<section className={styles.source} tabIndex={0} aria-label={`Lines of ${source.file}`}>
			<ol>
				{lines.map((text, at) => {
					const line = source.line + at;
					const here = findings.filter(
						(finding) => finding.file === source.file && finding.span.line === line,
					);
					return (
						<li key={line} id={`L${line}`} data-found={here[0]?.severity}>
							<span className={styles.line}>
								<a href={`#L${line}`} className={styles.number}>
									{line}
								</a>
								<code>{text}</code>
							</span>
							{here.map((finding) => (
								<span key={`${finding.rule}${finding.span.column}`} className={styles.finding}>
									<SeverityBadge severity={finding.severity} /> <Prose text={finding.message} />
								</span>
							))}
						</li>
					);
				})}
			</ol>
		</section>
	);
}
