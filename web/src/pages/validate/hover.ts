import { type EditorView, hoverTooltip } from "@codemirror/view";
import { type TopicItem, topicAt } from "../../lib/topics";
import { topicPath } from "../../nav";

/** Explains the field, key, type or annotation that one points at. */
export const topicHover = (
	topics: () => readonly TopicItem[],
	open: (path: string) => void,
) =>
	hoverTooltip((view: EditorView, position: number) => {
		const line = view.state.doc.lineAt(position);
		const found = topicAt(line.text, position - line.from, topics());
		if (found === undefined) return null;
		return {
			pos: line.from + found.from,
			end: line.from + found.to,
			above: true,
			create: () => ({ dom: said(found.topic, open) }),
		};
	});

/** What the tooltip says. Texts are set as texts: nothing of them is ever markup. */
function said(topic: TopicItem, open: (path: string) => void): HTMLElement {
	const box = document.createElement("div");
	box.className = "cm-topic";
	const what = document.createElement("div");
	what.textContent = topic.summary.replaceAll("`", "");
	const link = document.createElement("a");
	link.href = topicPath(topic.id);
	link.textContent = topic.id;
	link.addEventListener("click", (event) => {
		if (event.ctrlKey || event.metaKey || event.shiftKey) return;
		event.preventDefault();
		open(link.pathname);
	});
	box.append(what, link);
	return box;
}
