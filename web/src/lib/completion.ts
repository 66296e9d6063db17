import type { TopicItem } from "./topics";

/** What may be typed at a place. */
export interface Choice {
	label: string;
	/** What is put there, where that is more than the label. */
	apply?: string;
	/** What it means, as plain text. */
	info?: string;
	kind: "field" | "key" | "type" | "value";
}

/** Choices for what begins at a column of the line. */
export interface Completion {
	column: number;
	choices: Choice[];
}

/** The values of fields that have few. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
	variants: ["function", "method", "function, method"],
	structured: ["True"],
	device_check: ["NoCheck", "ExactSame"],
	device_guard: ["False"],
	manual_cpp_binding: ["True"],
	manual_kernel_registration: ["True"],
	use_const_ref_for_mutable_tensors: ["True"],
};

const info = ({ summary }: TopicItem) => summary.replaceAll("`", "");

/**
 * What may be typed at the end of `before`, the beginning of a line of `native_functions.yaml`;
 * `above` are the lines over it. Nothing where a value is free.
 */
export function completionAt(
	before: string,
	above: readonly string[],
	topics: readonly TopicItem[],
): Completion | undefined {
	const schema = /^\s*-?\s*func:.*(?:[(,]\s*|->\s*)(\w*)$/.exec(before);
	if (schema) return choose(before, schema[1], types(topics));
	const value = /^\s*-?\s*(\w+):\s*(\w*)$/.exec(before);
	if (value) {
		const values = VALUES[value[1] ?? ""] ?? [];
		return choose(before, value[2], values.map((label) => ({ label, kind: "value" })));
	}
	const indent = /^\s*/.exec(before)?.[0].length ?? 0;
	if (indent > 0 && isInDispatch(indent, above)) {
		const key = /^\s+(?:\w+,\s*)*(\w*)$/.exec(before);
		return key ? choose(before, key[1], keys(topics)) : undefined;
	}
	const field = /^(\s+|\s*-\s+)(\w*)$/.exec(before);
	return field ? choose(before, field[2], fields(topics)) : undefined;
}

function choose(
	before: string,
	begun: string | undefined,
	choices: Choice[],
): Completion | undefined {
	if (choices.length === 0) return undefined;
	return { column: before.length - (begun ?? "").length, choices };
}

/** Whether the nearest line above with less indentation opens a dispatch table. */
function isInDispatch(indent: number, above: readonly string[]): boolean {
	const opening = above.findLast((line) => {
		const least = /^\s*/.exec(line)?.[0].length ?? 0;
		return line.trim() !== "" && !line.trim().startsWith("#") && least < indent;
	});
	return /^\s*dispatch:\s*(#.*)?$/.test(opening ?? "");
}

const of = (topics: readonly TopicItem[], ...kinds: string[]) =>
	topics.filter(({ kind }) => kinds.includes(kind));

const types = (topics: readonly TopicItem[]): Choice[] =>
	of(topics, "type")
		.filter(({ id }) => /^[A-Z]\w*$|^(int|float|bool|str)$/.test(id))
		.map((topic) => ({ label: topic.id, info: info(topic), kind: "type" }));

const keys = (topics: readonly TopicItem[]): Choice[] =>
	of(topics, "alias-key", "dispatch-key").map((topic) => ({
		label: topic.id,
		info: info(topic),
		kind: "key",
	}));

const fields = (topics: readonly TopicItem[]): Choice[] =>
	of(topics, "field").map((topic) => ({
		label: topic.id,
		apply: `${topic.id}: `,
		info: info(topic),
		kind: "field",
	}));
