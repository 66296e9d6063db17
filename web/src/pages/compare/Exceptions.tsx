import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { client, data } from "../../api/client";
import { Badge, type Tone } from "../../components/Badge";
import { Button } from "../../components/controls";
import { Prose } from "../../components/Prose";
import { ErrorView } from "../../components/States";
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
							{project !== null && pattern && <Revoke project={project} id={id} />}
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

/** Deletes an exception, once one has confirmed it: its changes count again. */
function Revoke({ project, id }: { project: string; id: string }) {
	const [isAsked, setAsked] = useState(false);
	const queries = useQueryClient();
	const revoking = useMutation({
		mutationFn: () =>
			data(
				client.DELETE("/v1/projects/{project}/exceptions/{id}", {
					params: { path: { project, id } },
				}),
			),
		onSettled: () =>
			Promise.all([
				queries.invalidateQueries({ queryKey: ["comparison"] }),
				queries.invalidateQueries({ queryKey: ["exceptions"] }),
			]),
	});
	if (!isAsked) return <Button onClick={() => setAsked(true)}>Revoke …</Button>;
	return (
		<>
			<Button disabled={revoking.isPending} onClick={() => revoking.mutate()}>
				{revoking.isPending ? "Revoking …" : "Revoke this exception"}
			</Button>
			<Button onClick={() => setAsked(false)}>Keep it</Button>
			{revoking.isError && <ErrorView error={revoking.error} />}
		</>
	);
}
