import { raw } from "../../api/client";
import { segment } from "../../nav";

/** What the server says of a right. */
export type Standing = "allowed" | "token required" | "not allowed with this token" | "unknown";

/** Something that one may have the right to, with a way to find out. */
export interface Right {
	action: string;
	what: string;
	ask: (project: string) => Promise<Standing>;
}

/**
 * Rights are asked for before a request is read. So a request that no server could grant, because
 * its body has a type that is never taken, tells what the right is and changes nothing.
 */
async function asked(method: string, path: string): Promise<Standing> {
	const init =
		method === "GET"
			? {}
			: { method, body: "", headers: { "Content-Type": "application/x-nothing" } };
	const { status } = await raw(path, init);
	if (status === 401) return "token required";
	if (status === 403) return "not allowed with this token";
	return status < 500 ? "allowed" : "unknown";
}

const within = (project: string) => `/v1/projects/${segment(project)}`;

export const RIGHTS: readonly Right[] = [
	{
		action: "read",
		what: "Read projects, revisions, tables and findings; validate and compare",
		ask: () => asked("GET", "/v1/projects?limit=1"),
	},
	{
		action: "ingest",
		what: "Ingest revisions",
		ask: (project) => asked("POST", `${within(project)}/revisions`),
	},
	{
		action: "label",
		what: "Move and delete labels",
		// No label may begin so.
		ask: (project) => asked("PUT", `${within(project)}/labels/sha256`),
	},
	{
		action: "except",
		what: "Accept breaking changes, and revoke that",
		ask: (project) => asked("POST", `${within(project)}/exceptions`),
	},
	{
		action: "admin",
		what: "Create, change and delete projects; delete revisions",
		ask: () => asked("POST", "/v1/projects"),
	},
];
