import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Badge, type Tone } from "../../components/Badge";
import { Prose } from "../../components/Prose";
import type { Change, Comparison } from "../../lib/comparison";
import { counted } from "../../lib/format";
import { exceptionsOf } from "../../lib/review";
import styles from "./Exceptions.module.css";
import { exceptionsQuery } from "./queries";

const TONES: Record<string, Tone> = {
	active: "good",
	expiring: "warning",
	expired: "error",
	unused: "plain",
	overbroad: "warning",
};

interface Props {
	comparison: Comparison;
	/** What is to be said of exceptions. */
	about: readonly Change[];
}

/** The exceptions that match changes, with their ends, and what is to be said of any. */
export function Exceptions({ comparison, about }: Props) {
	const used = useMemo(() => exceptionsOf(comparison.changes), [comparison]);
	const project = comparison.head.project ?? comparison.base.project;
	const isAsked = project !== null && used.length > 0;
	const { data: all } = useQuery({ ...exceptionsQuery(project ?? ""), enabled: isAsked });
	const patterns = useMemo(() => new Map(all?.map((one) => [one.id, one])), [all]);
	if (used.length === 0 && about.length === 0) return null;
	return (
		<details className={styles.exceptions} open={about.length > 0 || undefined}>
			<summary>
				{counted(used.length, "exception")} {used.length === 1 ? "matches" : "match"} changes
			</summary>
			<ul aria-label="Exceptions">
				{used.map(({ exception, changes }) => {
					const { id, reason, owner, until, status } = exception;
					const pattern = patterns.get(id);
					return (
						<li key={id}>
							<Badge tone={TONES[status] ?? "plain"}>{status}</Badge>
							{pattern && (
								<code>
									{pattern.operator} {pattern.rule} {pattern.argument}
								</code>
							)}
							<span>{reason}</span>
							<span className="muted">
								{owner && `${owner}, `}
								{until ? `until ${until}` : "no end"}, {counted(changes, "change")}
							</span>
						</li>
					);
				})}
				{about.map((change) => (
					<li key={change.fingerprint}>
						<Badge tone="warning">{change.rule}</Badge>
						<span>
							<Prose text={change.message} />
						</span>
					</li>
				))}
			</ul>
		</details>
	);
}
