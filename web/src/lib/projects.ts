/** What stands in for a project where an address names none. */
const CUSTOMARY = "pytorch";
const KEPT = "opatlas.project";

/** The project that was last looked at in this browser. */
export function lastProject(): string | undefined {
	try {
		return localStorage.getItem(KEPT) ?? undefined;
	} catch {
		return undefined;
	}
}

/** Keeps which project was last looked at. */
export function keepProject(name: string): void {
	try {
		localStorage.setItem(KEPT, name);
	} catch {
		// Without storage the next view without a project begins with the customary one.
	}
}

interface Known {
	name: string;
	revisions: number;
}

/**
 * The project to go to where an address names none: the one that was last looked at while it is
 * still there, else `pytorch`, else the one with most revisions, else nothing.
 */
export function preferred(projects: readonly Known[], last: string | undefined) {
	const named = (name: string | undefined) => projects.find((project) => project.name === name);
	const most = () =>
		projects.reduce<Known | undefined>(
			(best, project) => (best && best.revisions >= project.revisions ? best : project),
			undefined,
		);
	return (named(last) ?? named(CUSTOMARY) ?? most())?.name;
}
