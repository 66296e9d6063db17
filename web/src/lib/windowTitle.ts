import { titleOf } from "./revisions";

/** What a window is called: the view, the project and revision that it is of, and the program. */
export function windowTitle(view: string, project?: string, rev?: string): string {
	if (view === "Opatlas") return view;
	const words = view.split(" ");
	const of = [project, rev && titleOf(rev)].filter((part) => part && !words.includes(part));
	return [view, of.join(" "), "Opatlas"].filter((part) => part !== "").join(" · ");
}
