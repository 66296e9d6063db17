/** What stands in for a project where an address names none. */
export const CUSTOMARY = "pytorch";
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
 * still there, else `pytorch`, else the one with most revisions, else nothing. One without any
 * revision is not gone to while there are others.
 */
export function preferred(projects: readonly Known[], last: string | undefined) {
	const filled = projects.filter(({ revisions }) => revisions > 0);
	const among = filled.length > 0 ? filled : projects;
	const named = (name: string | undefined) => among.find((project) => project.name === name);
	const most = () =>
		among.reduce<Known | undefined>(
			(best, project) => (best && best.revisions >= project.revisions ? best : project),
			undefined,
		);
	return (named(last) ?? named(CUSTOMARY) ?? most())?.name;
}

/** Projects by how much they hold, then by how new they are; the empty ones come last. */
export function bySize<T extends Known & { created_at: string }>(projects: readonly T[]): T[] {
	return [...projects].sort(
		(a, b) => b.revisions - a.revisions || b.created_at.localeCompare(a.created_at),
	);
}
