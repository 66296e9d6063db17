import type { components } from "../api/schema";
import { type Change, type Comparison, isCompound } from "./comparison";
import type { Level } from "./levels";
import { LEVELS } from "./levels";

type Schemas = components["schemas"];
type Finding = Schemas["Finding"];
export type NewOperator = Schemas["NewOperator"];

/** What a reviewer does about a cause, in the order of a review. */
export const STEPS = ["act", "look", "new", "accepted", "rest"] as const;
export type Step = (typeof STEPS)[number];

/** A cause with its changes and findings at hand. */
export interface Reviewed {
	/** The fingerprint of its first change, which no other cause has. */
	id: string;
	step: Step;
	title: string;
	level: Level;
	/** The edited operators. */
	operators: readonly string[];
	edits: readonly Change[];
	consequences: readonly Change[];
	/** New findings of its operators, errors first. */
	findings: readonly Finding[];
	/** The cards of the operators that it adds. */
	added: readonly NewOperator[];
}

export interface Review {
	causes: Reviewed[];
	/** New findings that belong to no cause. */
	loose: Finding[];
	/** What is to be said of exceptions. */
	aboutExceptions: Change[];
}

/** A cause of more operators gets no findings of operators that only share the base name. */
const FEW = 8;

const isAdded = ({ rule }: Change) => rule === "operator-added" || rule === "overload-added";
const isAboutException = ({ rule }: Change) => rule.startsWith("allow-");
const baseOf = (operator: string) => operator.replace(/\..*$/, "").replace(/_$/, "");

/** The causes of a comparison in the order of a review. Within a step they keep the server's order, by what must be undone. */
export function reviewOf(comparison: Comparison): Review {
	const changes = new Map(comparison.changes.map((change) => [change.fingerprint, change]));
	const cards = new Map(comparison.new_operators.map((card) => [card.operator, card]));
	const given = (prints: readonly string[]) =>
		prints.flatMap((print) => changes.get(print) ?? []).filter((change) => !isCompound(change));
	const { ofCause, loose } = sorted(comparison);
	const causes = comparison.causes.flatMap((cause, at): Reviewed[] => {
		const [edits, consequences] = [given(cause.changes), given(cause.consequences)];
		const findings = ofCause.get(at) ?? [];
		const first = edits[0] ?? consequences[0];
		if (!first) return [];
		const level = LEVELS.find((known) => known === cause.level) ?? "none";
		const reviewed = { level, edits, consequences, findings };
		return [
			{
				...reviewed,
				id: first.fingerprint,
				step: stepOf(reviewed),
				title: cause.title,
				operators: cause.operators,
				added: edits.filter(isAdded).flatMap(({ operator }) => cards.get(operator) ?? []),
			},
		];
	});
	const held = new Set(comparison.causes.flatMap((cause) => [...cause.changes, ...cause.consequences]));
	const others = comparison.changes.filter(
		(change) => !held.has(change.fingerprint) && !isCompound(change),
	);
	return {
		causes: [...causes, ...others.filter((one) => !isAboutException(one)).map(alone)].sort(
			(a, b) =>
				STEPS.indexOf(a.step) - STEPS.indexOf(b.step) ||
				Number(hasError(b)) - Number(hasError(a)),
		),
		loose,
		// That an exception holds is said where the exceptions are listed.
		aboutExceptions: others.filter((one) => isAboutException(one) && one.rule !== "allow-listed"),
	};
}

const hasError = ({ findings }: Pick<Reviewed, "findings">) =>
	findings.some(({ severity }) => severity === "error");

/** A change that no cause has. */
function alone(change: Change): Reviewed {
	const level = LEVELS.find((known) => known === change.level) ?? "none";
	const reviewed = { level, edits: [change], consequences: [], findings: [] };
	return {
		...reviewed,
		id: change.fingerprint,
		step: stepOf(reviewed),
		title: `\`${change.operator}\`: ${change.message}`,
		operators: [change.operator],
		added: [],
	};
}

function stepOf(cause: Pick<Reviewed, "level" | "edits" | "consequences" | "findings">): Step {
	const { level, edits, consequences, findings } = cause;
	if (hasError(cause) || level === "breaking") return "act";
	if (level === "forward-breaking" || level === "dangerous" || findings.length > 0) return "look";
	if (edits[0] && isAdded(edits[0])) return "new";
	return [...edits, ...consequences].some(({ exception }) => exception?.holds) ? "accepted" : "rest";
}

/** New findings by the cause of their operator. */
function sorted({ causes, findings }: Comparison) {
	const byName = new Map<string, number>();
	const byBase = new Map<string, number>();
	for (const [at, { operators }] of causes.entries()) {
		for (const operator of operators) {
			if (!byName.has(operator)) byName.set(operator, at);
			const base = baseOf(operator);
			if (operators.length <= FEW && !byBase.has(base)) byBase.set(base, at);
		}
	}
	const ofCause = new Map<number, Finding[]>();
	const loose: Finding[] = [];
	for (const finding of findings.new) {
		if (finding.severity === "info") continue;
		const name = finding.operator?.replace(/^aten::/, "");
		const at = name === undefined ? undefined : (byName.get(name) ?? byBase.get(baseOf(name)));
		if (at === undefined) loose.push(finding);
		else ofCause.set(at, [...(ofCause.get(at) ?? []), finding]);
	}
	return { ofCause, loose };
}

/** A cause with the changes that pass filters alone; nothing where none does. */
export function filtered(cause: Reviewed, passing: ReadonlySet<Change>): Reviewed | undefined {
	const edits = cause.edits.filter((change) => passing.has(change));
	const consequences = cause.consequences.filter((change) => passing.has(change));
	return edits.length + consequences.length === 0 ? undefined : { ...cause, edits, consequences };
}

/** Changes with the same words together. */
export function alike(changes: readonly Change[]): { first: Change; all: Change[] }[] {
	const found = new Map<string, { first: Change; all: Change[] }>();
	for (const change of changes) {
		const key = `${change.rule} ${change.message}`;
		const known = found.get(key);
		if (known) known.all.push(change);
		else found.set(key, { first: change, all: [change] });
	}
	return [...found.values()];
}

/** The edits of a cause by operator, in their order. */
export function byOperator(changes: readonly Change[]): { operator: string; changes: Change[] }[] {
	const found = new Map<string, Change[]>();
	for (const change of changes) {
		const known = found.get(change.operator);
		if (known) known.push(change);
		else found.set(change.operator, [change]);
	}
	return [...found].map(([operator, changes]) => ({ operator, changes }));
}

/** An exception that matches changes of a comparison. */
export interface Used {
	exception: NonNullable<Change["exception"]>;
	changes: number;
}

/** The exceptions that match, by id. */
export function exceptionsOf(changes: readonly Change[]): Used[] {
	const found = new Map<string, Used>();
	for (const { exception, ...change } of changes) {
		if (!exception || change.rule === "compound") continue;
		const known = found.get(exception.id) ?? { exception, changes: 0 };
		known.changes += 1;
		found.set(exception.id, known);
	}
	return [...found.values()];
}

/** The file that a cause edits, or whose consequences it has. */
const fileOf = ({ edits, consequences }: Reviewed): string =>
	(edits[0] ?? consequences[0])?.file ?? "";

/** Causes by file, in the order of the review. */
export function byFile(causes: readonly Reviewed[]): { file: string; causes: Reviewed[] }[] {
	const found = new Map<string, Reviewed[]>();
	for (const cause of causes) {
		const known = found.get(fileOf(cause));
		if (known) known.push(cause);
		else found.set(fileOf(cause), [cause]);
	}
	return [...found].map(([file, causes]) => ({ file, causes }));
}

/** The next cause that nobody viewed, or with -1 the one before; around the end where none follows. */
export function unviewedFrom(
	causes: readonly Reviewed[],
	viewed: ReadonlySet<string>,
	from: string | undefined,
	by: number,
): Reviewed | undefined {
	const at = causes.findIndex(({ id }) => id === from);
	const around = by > 0 ? [...causes.slice(at + 1), ...causes.slice(0, at + 1)] : before(causes, at);
	return around.find(({ id }) => id !== from && !viewed.has(id));
}

/** All others, from the one before back to the first, and then from the last. */
function before(causes: readonly Reviewed[], at: number): Reviewed[] {
	const first = Math.max(0, at);
	return [...causes.slice(first), ...causes.slice(0, first)].reverse();
}

/** Whether both sides are releases, which nobody takes back: the question is what they mean. */
export const areReleases = ({ base, head }: Pick<Comparison, "base" | "head">): boolean =>
	[base, head].every(({ label }) => /^v?\d+(\.\d+)+$/.test(label ?? ""));
