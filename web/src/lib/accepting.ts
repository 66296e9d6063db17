import type { components } from "../api/schema";
import type { Change } from "./comparison";

type NewException = components["schemas"]["NewException"];

/** What is said when changes are accepted. */
export interface Acceptance {
	reason: string;
	/** A day or a release; empty where it never ends. */
	until: string;
	/** Who is responsible for it; empty where nobody is named. */
	owner: string;
}

/** The levels of changes that somebody must undo or accept, or look at. */
const COUNTED = ["breaking", "forward-breaking", "dangerous"];

/** The changes of a cause that can be accepted: those that count and are not excused yet. */
export const acceptable = (changes: readonly Change[]): Change[] =>
	changes.filter(({ level, exception }) => COUNTED.includes(level) && !exception?.holds);

/** The exception for a change, as the API takes it. */
export function exceptionFor(change: Change, { reason, until, owner }: Acceptance): NewException {
	return {
		operator: change.operator,
		rule: change.rule,
		argument: change.argument,
		reason: reason.trim(),
		owner: owner.trim() || null,
		until: until.trim() || null,
		broad: false,
	};
}

const shell = (text: string) =>
	/^[\w.,:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** The commands that accept changes, one a line. What was not filled in stays `...`. */
export function commandsFor(changes: readonly Change[], said: Acceptance): string {
	const [reason, until, owner] = [said.reason.trim(), said.until.trim(), said.owner.trim()];
	const words = [
		`--reason ${reason === "" ? "..." : shell(reason)}`,
		`--until ${until === "" ? "..." : shell(until)}`,
		...(owner === "" ? [] : [`--owner ${shell(owner)}`]),
	].join(" ");
	return changes
		.map(({ accept }) => accept.replace("--reason ... --until ...", () => words))
		.join("\n");
}

/** A string of TOML. JSON leaves alone the one control character that TOML does not allow. */
const toml = (text: string) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

/** The same for `opatlas.toml`. */
export function tomlFor(changes: readonly Change[], said: Acceptance): string {
	return changes
		.map((change) => {
			const { operator, rule, argument, reason, owner } = exceptionFor(change, said);
			const until = said.until.trim();
			return [
				"[[exception]]",
				`operator = ${toml(operator)}`,
				`rule = ${toml(rule)}`,
				...(argument ? [`argument = ${toml(argument)}`] : []),
				`reason = ${toml(reason)}`,
				...(owner ? [`owner = ${toml(owner)}`] : []),
				...(until === "" ? [] : [`until = ${toml(until)}`]),
				"",
			].join("\n");
		})
		.join("\n");
}
