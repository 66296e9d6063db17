import { stringify } from "./search";
import { keyPath, segment } from "../nav";

/** What a badge counts: whatever serves an operator, or only kernels of the key itself. */
export type Counted = "served" | "kernel";

export interface BadgeOf {
	project: string;
	key: string;
	/** The revision; without one the badge follows the last. */
	revision?: string | undefined;
	of: Counted;
}

/** Where the server has a badge, as an image or as data for badge services. */
export function badgePath({ project, key, revision, of }: BadgeOf, form: "svg" | "json"): string {
	const query = stringify({ revision, of: of === "served" ? undefined : of });
	return `/v1/projects/${segment(project)}/badges/${segment(key)}.${form}${query}`;
}

/** A text ready to be pasted elsewhere. */
export interface Snippet {
	name: string;
	text: string;
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const inHtml = (text: string) => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
const inMarkdown = (text: string) => text.replace(/[\\[\]]/g, "\\$&");

/** The snippets that show a badge and lead to the page of its key; `says` is what it reads. */
export function snippets(badge: BadgeOf, says: string, origin: string): Snippet[] {
	const image = origin + badgePath(badge, "svg");
	const place = { project: badge.project, rev: badge.revision ?? "latest" };
	const page = origin + keyPath(place, badge.key);
	return [
		{ name: "Markdown", text: `[![${inMarkdown(says)}](${image})](${page})` },
		{
			name: "HTML",
			text: `<a href="${inHtml(page)}"><img src="${inHtml(image)}" alt="${inHtml(says)}"></a>`,
		},
		{ name: "Image address", text: image },
		{ name: "Endpoint for badge services", text: origin + badgePath(badge, "json") },
	];
}
