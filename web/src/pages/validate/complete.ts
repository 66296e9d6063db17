import { EditorState } from "@codemirror/state";
import { type Choice, completionAt } from "../../lib/completion";
import type { TopicItem } from "../../lib/topics";

/** What the editor asks with; the completion of CodeMirror's basic setup reads the answer. */
interface Asked {
	state: EditorState;
	pos: number;
	explicit: boolean;
}

/** How many lines above the cursor are looked at. */
const ABOVE = 200;

const LOOKS: Record<Choice["kind"], string> = {
	field: "property",
	key: "enum",
	type: "type",
	value: "constant",
};

/** Completes fields, dispatch keys, types and values, from the topics. */
export function topicCompletion(topics: () => readonly TopicItem[]) {
	// The editor knows a source by its identity, so it is always the same.
	const data = [{ autocomplete: (asked: Asked) => complete(asked, topics()) }];
	return EditorState.languageData.of(() => data);
}

function complete({ state, pos, explicit }: Asked, topics: readonly TopicItem[]) {
	const line = state.doc.lineAt(pos);
	const above: string[] = [];
	for (let at = Math.max(1, line.number - ABOVE); at < line.number; at++) {
		above.push(state.doc.line(at).text);
	}
	const found = completionAt(line.text.slice(0, pos - line.from), above, topics);
	if (!found) return null;
	const from = line.from + found.column;
	// Where nothing is begun yet only who asks for it gets a list.
	if (from === pos && !explicit) return null;
	return {
		from,
		options: found.choices.map(({ kind, ...choice }) => ({ ...choice, type: LOOKS[kind] })),
		validFor: /^\w*$/,
	};
}
