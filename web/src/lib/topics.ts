import type { components } from "../api/schema";

type Schemas = components["schemas"];
export type TopicItem = Schemas["TopicItem"];
export type Topic = Schemas["Topic"];
export type Guide = Schemas["Guide"];
export type GuideQuestion = Schemas["GuideQuestion"];
export type GuideOutcome = Schemas["GuideOutcome"];

/** The kinds of topics, in their order. */
export const TOPIC_KINDS = [
	"guide",
	"field",
	"type",
	"annotation",
	"alias-key",
	"dispatch-key",
] as const;

export const KIND_TITLES: Record<(typeof TOPIC_KINDS)[number], string> = {
	guide: "Guides",
	field: "Fields of an entry",
	type: "Types",
	annotation: "Annotations",
	"alias-key": "Alias keys",
	"dispatch-key": "Dispatch keys",
};

/** The topics that have all words, in their name, other names or summary. */
export function soughtTopics(
	topics: readonly TopicItem[],
	{ q, kind }: { q?: string | undefined; kind?: string | undefined },
): TopicItem[] {
	const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	return topics.filter((topic) => {
		if (kind !== undefined && topic.kind !== kind) return false;
		const text = [topic.id, ...topic.names, topic.summary].join(" ").toLowerCase();
		return words.every((word) => text.includes(word));
	});
}

/** The topic that explains a type as written, such as `Tensor(a!)[]?`. */
export function topicOfType(written: string): string {
	const type = written.replace(/\([^)]*\)/g, "");
	if (type.endsWith("?")) return "optional";
	if (/^bool\[\d*\]$/.test(type)) return "bool-list";
	if (type.endsWith("]")) return "list";
	return type.startsWith("__torch__") ? "custom-class" : type;
}

/** The topic that explains an annotation, such as `a!` or `a -> *`. */
export function topicOfAnnotation(annotation: string): string {
	const after = annotation.split("->")[1]?.trim();
	if (after === "*") return "wildcard-annotation";
	if (after !== undefined) return "alias-sets";
	return annotation.includes("!") ? "write-annotation" : "alias-annotation";
}

/** What explains the part of a line of YAML at a column, and which part that is. */
export function topicAt(
	line: string,
	column: number,
	topics: readonly TopicItem[],
): { topic: TopicItem; from: number; to: number } | undefined {
	const find = (name: string, kinds: readonly string[]) =>
		topics.find(({ id, kind }) => id === name && kinds.includes(kind));
	const covers = (from: number, to: number) => from <= column && column < to;
	for (const found of line.matchAll(/Tensor\(([a-z|!*> -]+)\)/g)) {
		const from = found.index + "Tensor".length;
		const to = found.index + found[0].length;
		const topic = find(topicOfAnnotation(found[1] ?? ""), ["annotation"]);
		if (covers(from, to) && topic) return { topic, from, to };
	}
	for (const found of line.matchAll(/[A-Za-z_]\w*/g)) {
		const from = found.index;
		const to = from + found[0].length;
		if (!covers(from, to)) continue;
		const isKey = /^\s*:(\s|$)/.test(line.slice(to)) && /^[\s-]*$/.test(line.slice(0, from));
		const kinds = isKey ? ["field", "alias-key", "dispatch-key"] : ["type", "alias-key", "dispatch-key"];
		const topic = find(found[0], kinds);
		return topic && { topic, from, to };
	}
	return undefined;
}

/** Where the answers given so far lead: the questions on the way, and what comes next. */
export interface Way {
	passed: { question: GuideQuestion; answer: number }[];
	question?: GuideQuestion;
	outcome?: GuideOutcome;
}

/** Follows answers, given as their places such as `0.2.1`, as far as they make sense. */
export function follow(guide: Guide, answers: string | undefined): Way {
	const passed: Way["passed"] = [];
	let question = guide.questions[0];
	for (const written of (answers ?? "").split(".").filter(Boolean)) {
		const answer = Number(written);
		const chosen = question?.answers[answer];
		if (question === undefined || chosen === undefined) break;
		passed.push({ question, answer });
		if (chosen.outcome != null) {
			const outcome = guide.outcomes.find(({ id }) => id === chosen.outcome);
			return outcome ? { passed, outcome } : { passed };
		}
		question = guide.questions.find(({ id }) => id === chosen.question);
	}
	return question ? { passed, question } : { passed };
}
