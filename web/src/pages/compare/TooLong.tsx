import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { projectsQuery } from "../../api/queries";
import { Button, Select } from "../../components/controls";
import { Card } from "../../components/Page";
import { ErrorView } from "../../components/States";
import { MOST, type Sides } from "../../lib/sides";
import { comparePath } from "../../nav";
import styles from "./Choose.module.css";
import { ingest } from "./queries";

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KB`;

/** Says that an address cannot hold two texts, and offers to store them, so that one can name them. */
export function TooLong({ sides, bytes }: { sides: Sides; bytes: number }) {
	const projects = useQuery(projectsQuery);
	const client = useQueryClient();
	const navigate = useNavigate();
	const [project, setProject] = useState<string>();
	const storing = useMutation({
		mutationFn: async (project: string) => {
			const base = await ingest(project, sides.base);
			const head = await ingest(project, sides.head);
			await client.invalidateQueries({ queryKey: ["revisions", project] });
			return comparePath(project, base, head);
		},
		onSuccess: (to) => void navigate({ to }),
	});
	return (
		<Card>
			<p role="status">
				This comparison is too large for an address: compressed, the two files have{" "}
				{kilobytes(bytes)}, and the limit is {kilobytes(MOST)}. To share it, store both files as
				revisions of a project.
			</p>
			<div className={styles.actions}>
				<Select
					label="Target project"
					any="choose a project"
					value={project}
					options={(projects.data ?? []).map(({ name }) => ({ value: name, label: name }))}
					onChange={setProject}
				/>
				<Button
					disabled={project === undefined || storing.isPending}
					onClick={() => project !== undefined && storing.mutate(project)}
				>
					{storing.isPending ? "Storing …" : "Store and compare"}
				</Button>
			</div>
			{storing.isError && <ErrorView error={storing.error} />}
		</Card>
	);
}
