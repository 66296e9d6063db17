import { Link, Outlet, useParams, useRouter } from "@tanstack/react-router";
import { Page } from "../components/Page";
import { ErrorView } from "../components/States";
import { revisionPath } from "../nav";

/** The view of a revision. */
export function RevisionFrame() {
	return <Outlet />;
}

/** What stands in place of a revision whose name means nothing, or that could not be asked for. */
export function RevisionError({ error }: { error: unknown }) {
	const router = useRouter();
	const { project = "", rev = "" }: { project?: string; rev?: string } = useParams({
		strict: false,
	});
	return (
		<Page title={`${project} ${rev}`}>
			<ErrorView
				error={error}
				retry={() => router.invalidate()}
				suggest={(name) => (
					<Link to={revisionPath({ project, rev: name })} className="mono target">
						{name}
					</Link>
				)}
			/>
		</Page>
	);
}
