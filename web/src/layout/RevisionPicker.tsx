import { Link, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { RevisionBox } from "../components/RevisionBox";
import { projectPath, revisionPath } from "../nav";
import styles from "./RevisionPicker.module.css";

/** The project of the view and its revision, and the way to the same view of another. */
export function RevisionPicker() {
	const params: { project?: string; rev?: string } = useParams({ strict: false });
	const { project, rev } = params;
	const location = useRouterState({ select: (state) => state.location });
	const navigate = useNavigate();
	if (!project) return null;
	const go = (address: string) => {
		const rest = location.href.slice(revisionPath({ project, rev: rev ?? "" }).length);
		void navigate({ href: revisionPath({ project, rev: address }) + (rev === undefined ? "" : rest) });
	};
	return (
		<span className={styles.picker}>
			<Link to={projectPath(project)} className={styles.project} title={project}>
				{project}
			</Link>
			<span aria-hidden="true">/</span>
			<RevisionBox
				label="Revision"
				bare
				project={project}
				value={rev}
				onChange={(address) => address !== undefined && go(address)}
			/>
		</span>
	);
}
