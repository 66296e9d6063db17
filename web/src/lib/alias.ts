/** A value of a schema with its alias annotation, such as `a!` or `a|b` or `a -> *`. */
export interface Annotated {
	name: string;
	annotation: string | null;
}

/** An argument and a return that share an alias set. */
export interface AliasLink {
	set: string;
	argument: number;
	/** The place of the return; null where only the argument is in the set. */
	result: number | null;
	write: boolean;
	/** Whether the argument's alias spreads to whatever contains it (`-> *`). */
	wildcard: boolean;
}

function read(annotation: string | null) {
	const [before = "", after] = (annotation ?? "").split("->");
	const write = before.includes("!");
	const sets = before
		.replace("!", "")
		.split("|")
		.map((set) => set.trim());
	return { sets: sets.filter(Boolean), write, wildcard: after?.includes("*") ?? false };
}

/** Which arguments alias which returns, by set. */
export function aliasLinks(
	parameters: readonly Annotated[],
	results: readonly Annotated[],
): AliasLink[] {
	const links: AliasLink[] = [];
	for (const [argument, parameter] of parameters.entries()) {
		const { sets, write, wildcard } = read(parameter.annotation);
		for (const set of sets) {
			const aliased = results.flatMap(({ annotation }, at) =>
				read(annotation).sets.includes(set) ? [at] : [],
			);
			const ends: (number | null)[] = aliased.length > 0 ? aliased : [null];
			for (const result of ends) links.push({ set, argument, result, write, wildcard });
		}
	}
	return links;
}
