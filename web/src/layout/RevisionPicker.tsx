import { Link, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { Suspense } from "react";
import controls from "../components/controls.module.css";
import { lazyPart } from "../lib/lazyPage";
import { titleOf } from "../lib/revisions";
import { projectPath, revisionPath } from "../nav";
import styles from "./RevisionPicker.module.css";

// The home page does without it.
const RevisionBox = lazyPart(async () => {
	const { RevisionBox } = await import("../components/RevisionBox");
	return { default: RevisionBox };
});

/** The project of the view, and its revision where it is of one. */
export function RevisionPicker() {
	const params: { project?: string; rev?: string } = useParams({ strict: false });
	const { project, rev } = params;
	if (!project) return null;
	return (
		<span className={styles.picker}>
			<Link to={projectPath(project)} className={styles.project} title={project}>
				{project}
			</Link>
			{rev !== undefined && <Rev project={project} rev={rev} />}
		</span>
	);
}

/** The revision of the view, and the way to the same view of another. */
function Rev({ project, rev }: { project: string; rev: string }) {
	const location = useRouterState({ select: (state) => state.location });
	const navigate = useNavigate();
	const go = (address: string) => {
		const rest = location.href.slice(revisionPath({ project, rev }).length);
		void navigate({ href: revisionPath({ project, rev: address }) + rest });
	};
	return (
		<>
			<span aria-hidden="true">/</span>
			<Suspense fallback={<Waiting rev={rev} />}>
				<RevisionBox
					label="Revision"
					bare
					project={project}
					value={rev}
					onChange={(address) => address !== undefined && go(address)}
				/>
			</Suspense>
		</>
	);
}

/** The field as it looks before it can be used. */
function Waiting({ rev }: { rev: string }) {
	return (
		<input
			className={`${controls.control} ${styles.waiting}`}
			aria-label="Revision"
			readOnly
			value={titleOf(rev)}
		/>
	);
}
