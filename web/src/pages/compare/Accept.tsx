import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { client, data } from "../../api/client";
import { currentToken } from "../../api/token";
import { Button, Copy, Field, TextInput } from "../../components/controls";
import { ErrorView } from "../../components/States";
import { type Acceptance, commandsFor, exceptionFor, tomlFor } from "../../lib/accepting";
import type { Change, Comparison } from "../../lib/comparison";
import { counted } from "../../lib/format";
import styles from "./Accept.module.css";

/** So many changes are accepted at once; more than that is a matter for a pattern or the policy. */
const MOST = 120;

interface Props {
	changes: readonly Change[];
	comparison: Comparison;
}

/** Accepts changes: on the server, or by the command or the lines of `opatlas.toml` to copy. */
export function Accept({ changes, comparison }: Props) {
	const [isOpen, setOpen] = useState(false);
	const what = counted(changes.length, "change");
	if (!isOpen) {
		return (
			<div className={styles.closed}>
				<Button onClick={() => setOpen(true)}>Accept {what} …</Button>
			</div>
		);
	}
	return <Form changes={changes} comparison={comparison} onClose={() => setOpen(false)} />;
}

function Form({ changes, comparison, onClose }: Props & { onClose: () => void }) {
	const [said, setSaid] = useState<Acceptance>({ reason: "", until: "", owner: "" });
	const queries = useQueryClient();
	const project = comparison.head.project ?? comparison.base.project;
	const accepting = useMutation({
		mutationFn: async (project: string) => {
			for (const change of changes) {
				await data(
					client.POST("/v1/projects/{project}/exceptions", {
						params: { path: { project } },
						body: exceptionFor(change, said),
					}),
				);
			}
		},
		// Some may be accepted even where one was refused.
		onSettled: () =>
			Promise.all([
				queries.invalidateQueries({ queryKey: ["comparison"] }),
				queries.invalidateQueries({ queryKey: ["exceptions"] }),
			]),
	});
	const submit = (event: FormEvent) => {
		event.preventDefault();
		if (project) accepting.mutate(project);
	};
	const field = (name: keyof Acceptance, label: string, placeholder: string) => (
		<Field label={label}>
			{(id) => (
				<TextInput
					id={id}
					placeholder={placeholder}
					required={name === "reason"}
					maxLength={name === "reason" ? 10_000 : 1000}
					value={said[name]}
					onChange={(value) => setSaid({ ...said, [name]: value })}
				/>
			)}
		</Field>
	);
	const isMany = changes.length > MOST;
	return (
		<form className={styles.form} onSubmit={submit} aria-label="Accept">
			<h4>Accept {counted(changes.length, "change")}</h4>
			<div className={styles.fields}>
				{field("reason", "Reason", "nobody passes it by name")}
				{field("until", "Until (a day or a release)", "2.16 or 2027-01-31")}
				{field("owner", "Owner", "core")}
			</div>
			<div className={styles.actions}>
				{project && !isMany && (
					<Button
						type="submit"
						primary={currentToken() !== undefined}
						disabled={accepting.isPending || said.reason.trim() === ""}
					>
						{accepting.isPending ? "Accepting …" : `Accept in ${project}`}
					</Button>
				)}
				<Copy text={commandsFor(changes, said)}>Copy command</Copy>
				<Copy text={tomlFor(changes, said)}>Copy for opatlas.toml</Copy>
				<Button onClick={onClose}>Cancel</Button>
			</div>
			{isMany && (
				<p className="muted">
					The page accepts at most {MOST} changes at once. Accept an operator at a time, or copy the
					lines and replace them by a pattern.
				</p>
			)}
			<pre className={styles.text} tabIndex={0} aria-label="Command">
				{commandsFor(changes.slice(0, 3), said)}
				{changes.length > 3 && `\n# and ${changes.length - 3} more`}
			</pre>
			{accepting.isError && <ErrorView error={accepting.error} />}
		</form>
	);
}
