import type { components } from "../../api/schema";

/** Whether an action is allowed. */
export type RightVerdict = components["schemas"]["AccessView"]["rights"][number]["verdict"];

/** What each action lets one do. */
const WHAT: Record<string, string> = {
	read: "Read projects, revisions, tables and findings; validate and compare",
	ingest: "Store revisions, with labels that are not versions",
	label: "Create, move and delete labels, also versions",
	except: "Accept breaking changes, and revoke that",
	admin: "Create, change and delete projects; delete revisions",
};

export const whatOf = (action: string): string => WHAT[action] ?? "";

const WORDS: Record<RightVerdict, string> = {
	allowed: "allowed",
	"token-required": "token required",
	"not-allowed": "not allowed with this token",
};

export const wordsOf = (verdict: RightVerdict): string => WORDS[verdict];
