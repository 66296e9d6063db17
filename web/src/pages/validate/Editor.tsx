import { yaml } from "@codemirror/lang-yaml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { isolateHistory, undo, undoDepth } from "@codemirror/commands";
import { EditorView, keymap } from "@codemirror/view";
import { basicSetup } from "codemirror";
import { useLayoutEffect, useRef } from "react";
import { useQuery } from "@tanstack/react-query";
import { type Finding, topicsQuery } from "../../api/queries";
import { pieces } from "../../lib/prose";
import type { TopicItem } from "../../lib/topics";
import { rulePath } from "../../nav";
import styles from "./Editor.module.css";
import { topicCompletion } from "./complete";
import { apart, type Found, foundField, setFound } from "./found";
import { topicHover } from "./hover";
import { FIX_ALL } from "./keys";
import { look } from "./look";

/** What the page may ask of the editor. */
export interface EditorHandle {
	/** Shows a finding and puts the cursor there, in the editor or only in sight. */
	show: (index: number, focus: boolean) => void;
	/** Applies the fix of a finding; it can be undone. */
	fix: (index: number) => void;
	/** Applies all fixes that do not touch one another, as one step that can be undone. */
	fixAll: () => void;
	/** Takes the last step back. */
	undo: () => void;
	focus: () => void;
}

interface Props {
	/** The text to begin with, and with each version the one that takes the place of what is there. */
	text: string;
	/** What is typed comes back as `text` a little later: only another version is put there. */
	version: number;
	/** What was found in `checked`. */
	findings: readonly Finding[];
	/** The text that the findings are about. */
	checked: string | undefined;
	onChange: (text: string) => void;
	/** Takes whether there is a step to take back. */
	onUndoable: (can: boolean) => void;
	/** Opens a view of the page. */
	onOpen: (path: string) => void;
	handle: { current: EditorHandle | null };
}

/**
 * CodeMirror over YAML. It makes its own styles, so it lives in a shadow root, where it keeps them
 * as adopted style sheets; the page's policy allows no others.
 */
export default function Editor({
	text,
	version,
	findings,
	checked,
	onChange,
	onUndoable,
	onOpen,
	handle,
}: Props) {
	const host = useRef<HTMLDivElement>(null);
	const view = useRef<EditorView | null>(null);
	const topics: readonly TopicItem[] = useQuery(topicsQuery).data ?? [];
	const latest = useRef({ text, onChange, onUndoable, onOpen, topics });
	latest.current = { text, onChange, onUndoable, onOpen, topics };
	// All of these come before the next paint, so that what the page shows is what the editor has.
	useLayoutEffect(() => {
		if (!host.current) return;
		const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
		const made = new EditorView({
			doc: latest.current.text,
			root,
			parent: root,
			extensions: [
				keymap.of([{ key: FIX_ALL, run: applyAll }]),
				basicSetup,
				yaml(),
				lintGutter(),
				foundField,
				look,
				overSelection,
				topicCompletion(() => latest.current.topics),
				topicHover(
					() => latest.current.topics,
					(path) => latest.current.onOpen(path),
				),
				EditorView.contentAttributes.of({
					"aria-label": "Declarations, as YAML",
					tabindex: "0",
				}),
				EditorView.updateListener.of((update) => {
					if (!update.docChanged) return;
					latest.current.onChange(update.state.doc.toString());
					latest.current.onUndoable(undoDepth(update.state) > 0);
				}),
			],
		});
		view.current = made;
		return () => {
			made.destroy();
			view.current = null;
		};
	}, []);
	useLayoutEffect(() => {
		const made = view.current;
		const insert = latest.current.text;
		if (!made || made.state.doc.toString() === insert) return;
		made.dispatch({
			changes: { from: 0, to: made.state.doc.length, insert },
			annotations: isolateHistory.of("full"),
		});
	}, [version]);
	useLayoutEffect(() => {
		const made = view.current;
		// What was found in an older text says nothing of places in this one. A text that comes back,
		// as by an undo, has its findings again.
		if (!made || text !== checked || made.state.doc.toString() !== checked) return;
		made.dispatch({ effects: setFound.of(findings) });
		const open = (path: string) => latest.current.onOpen(path);
		const found = made.state.field(foundField).map((one, at) => diagnostic(one, at, open));
		made.dispatch(setDiagnostics(made.state, found));
	}, [findings, checked, text]);
	useLayoutEffect(() => {
		handle.current = {
			focus: () => view.current?.focus(),
			show: (index, focus) => {
				const made = view.current;
				const found = made?.state.field(foundField)[index];
				if (!made || !found) return;
				made.dispatch({
					selection: { anchor: found.from, head: found.to },
					effects: EditorView.scrollIntoView(found.from, { y: "center" }),
				});
				if (focus) made.focus();
			},
			fix: (index) => {
				if (view.current) applyFix(view.current, index);
			},
			fixAll: () => {
				if (view.current) applyAll(view.current);
			},
			undo: () => {
				if (view.current) undo(view.current);
			},
		};
		return () => {
			handle.current = null;
		};
	}, [handle]);
	return <div ref={host} className={styles.host} data-testid="editor" />;
}

/**
 * Typing over a selection. Left to itself the browser keeps the look of what was there by a style
 * attribute, which the page's policy refuses and complains of.
 */
const overSelection = EditorView.domEventHandlers({
	beforeinput(event, view) {
		const { main } = view.state.selection;
		const { data, inputType, isComposing } = event;
		if (inputType !== "insertText" || data === null || isComposing || main.empty) return false;
		event.preventDefault();
		const insert = () => view.state.update(view.state.replaceSelection(data), TYPED);
		const handlers = view.state.facet(EditorView.inputHandler);
		if (!handlers.some((take) => take(view, main.from, main.to, data, insert))) {
			view.dispatch(insert());
		}
		return true;
	},
});
const TYPED = { userEvent: "input.type", scrollIntoView: true };

function applyFix(view: EditorView, index: number): void {
	const fix = view.state.field(foundField)[index]?.fix;
	if (!fix) return;
	view.dispatch({
		changes: { from: fix.from, to: fix.to, insert: fix.replacement },
		effects: EditorView.scrollIntoView(fix.from),
		annotations: isolateHistory.of("full"),
		userEvent: "input.fix",
	});
}

function applyAll(view: EditorView): boolean {
	const changes = apart(view.state.field(foundField));
	if (changes.length === 0) return false;
	view.dispatch({
		changes: changes.map(({ from, to, replacement }) => ({ from, to, insert: replacement })),
		annotations: isolateHistory.of("full"),
		userEvent: "input.fix",
	});
	return true;
}

function diagnostic(found: Found, index: number, open: (path: string) => void): Diagnostic {
	const { rule, severity, message, help } = found.finding;
	return {
		from: found.from,
		to: found.to,
		severity,
		message,
		source: rule,
		renderMessage: () => said(message, help, rule, open),
		actions: found.fix ? [{ name: "Fix", apply: (view) => applyFix(view, index) }] : [],
	};
}

/** A sentence with its code. */
function proseNodes(text: string): Node[] {
	return pieces(text).map(({ code, text }) => {
		if (!code) return document.createTextNode(text);
		const node = document.createElement("code");
		node.textContent = text;
		return node;
	});
}

/** What a tooltip says. Texts are set as texts: nothing of them is ever markup. */
function said(message: string, help: string | null, rule: string, open: (path: string) => void) {
	const box = document.createElement("div");
	const what = document.createElement("div");
	what.append(...proseNodes(message));
	box.append(what);
	if (help) {
		const how = document.createElement("p");
		how.append(...proseNodes(help));
		box.append(how);
	}
	const link = document.createElement("a");
	link.href = rulePath(rule);
	link.textContent = rule;
	link.addEventListener("click", (event) => {
		if (event.ctrlKey || event.metaKey || event.shiftKey) return;
		event.preventDefault();
		open(link.pathname);
	});
	box.append(link);
	return box;
}
