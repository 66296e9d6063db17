import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { revisionsQuery } from "../api/queries";
import { addressOf, isAt, timeline, titleOf } from "../lib/revisions";
import styles from "./RevisionPicker.module.css";

/** The revision of the view, and the way to the same view of another. */
export function RevisionPicker() {
	const params: { project?: string; rev?: string } = useParams({ strict: false });
	const { project, rev } = params;
	if (!project || !rev) return null;
	return <Picker project={project} rev={rev} />;
}

function Picker({ project, rev }: { project: string; rev: string }) {
	const { data = [] } = useQuery(revisionsQuery(project));
	const navigate = useNavigate();
	const revisions = timeline(data);
	const at = revisions.find((item) => isAt(item, rev));
	const go = (address: string) =>
		void navigate({ to: ".", params: { rev: address } as never, search: true });
	return (
		<span className={styles.picker}>
			<span className={styles.project} title={project}>
				{project}
			</span>
			<span aria-hidden="true">/</span>
			<select
				aria-label="Revision"
				value={at ? addressOf(at) : rev}
				onChange={(event) => go(event.target.value)}
			>
				{!at && <option value={rev}>{rev}</option>}
				{revisions.map((item) => (
					<option key={item.digest} value={addressOf(item)}>
						{titleOf(item)}
					</option>
				))}
			</select>
		</span>
	);
}
