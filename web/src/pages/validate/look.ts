import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/*
 * The editor in the page's colours. Its own images are data: addresses, which the policy forbids, so
 * marks and underlines are drawn with borders and text.
 */
const underline = (colour: string) => ({
	backgroundImage: "none",
	textDecoration: `underline wavy ${colour}`,
	textDecorationSkipInk: "none",
	textUnderlineOffset: "3px",
});

const marker = (colour: string, soft: string, glyph: string) => ({
	content: "none",
	"&::before": {
		content: `"${glyph}"`,
		display: "inline-block",
		width: "1.1em",
		borderRadius: "3px",
		textAlign: "center",
		fontSize: "0.8em",
		fontWeight: "700",
		color: colour,
		backgroundColor: soft,
	},
});

const theme = EditorView.theme({
	"&": {
		height: "100%",
		color: "var(--text)",
		backgroundColor: "var(--surface)",
		fontSize: "0.8125rem",
	},
	"&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
	".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
	".cm-content": { caretColor: "var(--text)", padding: "0.5rem 0" },
	".cm-gutters": {
		color: "var(--faint)",
		backgroundColor: "var(--surface)",
		borderRight: "1px solid var(--line)",
	},
	".cm-activeLine": { backgroundColor: "light-dark(#3b4cc00a, #9db0ff0d)" },
	".cm-activeLineGutter": { color: "var(--text)", backgroundColor: "var(--hover)" },
	"&.cm-focused .cm-cursor": { borderLeftColor: "var(--text)" },
	"& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
		{ backgroundColor: "light-dark(#cdd6fb, #37457e)" },
	".cm-selectionMatch": { backgroundColor: "var(--selected)" },
	"&.cm-focused .cm-matchingBracket": {
		backgroundColor: "var(--selected)",
		outline: "1px solid var(--line-strong)",
	},
	".cm-tooltip": {
		color: "var(--text)",
		backgroundColor: "var(--raised)",
		border: "1px solid var(--line-strong)",
		borderRadius: "6px",
		boxShadow: "var(--shadow)",
		maxWidth: "min(36rem, 90vw)",
	},
	".cm-topic": {
		display: "grid",
		gap: "0.25rem",
		maxWidth: "28rem",
		padding: "0.4rem 0.6rem",
	},
	".cm-topic a": { color: "var(--accent)", fontFamily: "var(--mono)" },
	".cm-tooltip-autocomplete > ul > li[aria-selected]": {
		color: "var(--on-accent)",
		backgroundColor: "var(--accent-fill)",
	},
	".cm-diagnostic": {
		padding: "0.5rem 0.75rem",
		borderLeft: "4px solid var(--info)",
		fontFamily: "var(--sans)",
		whiteSpace: "normal",
	},
	".cm-diagnostic + .cm-diagnostic": { borderTop: "1px solid var(--line)" },
	".cm-diagnostic-error": { borderLeftColor: "var(--error)" },
	".cm-diagnostic-warning": { borderLeftColor: "var(--warning)" },
	".cm-diagnostic a": { color: "var(--accent)", fontFamily: "var(--mono)", fontSize: "0.9em" },
	".cm-diagnostic p": { margin: "0.2rem 0 0", color: "var(--muted)" },
	".cm-diagnosticAction": {
		margin: "0.4rem 0 0",
		padding: "0.2rem 0.7rem",
		borderRadius: "5px",
		color: "var(--on-accent)",
		backgroundColor: "var(--accent-fill)",
		font: "550 0.8125rem var(--sans)",
		cursor: "pointer",
	},
	".cm-lintRange-error": underline("var(--error)"),
	".cm-lintRange-warning": underline("var(--warning)"),
	".cm-lintRange-info": underline("var(--info)"),
	".cm-lintRange-active": { backgroundColor: "var(--selected)" },
	".cm-lintPoint::after": { borderBottomColor: "var(--error)" },
	".cm-gutter-lint": { width: "1.6em" },
	".cm-gutter-lint .cm-gutterElement": { padding: "0 0.15em" },
	".cm-lint-marker": { width: "1.3em", height: "auto" },
	".cm-lint-marker-error": marker("var(--error)", "var(--error-soft)", "✕"),
	".cm-lint-marker-warning": marker("var(--warning)", "var(--warning-soft)", "!"),
	".cm-lint-marker-info": marker("var(--info)", "var(--info-soft)", "i"),
	".cm-panels": {
		color: "var(--text)",
		backgroundColor: "var(--sunken)",
		borderColor: "var(--line)",
	},
	".cm-panel.cm-search input, .cm-panel.cm-search button": {
		color: "var(--text)",
		backgroundColor: "var(--surface)",
		backgroundImage: "none",
		border: "1px solid var(--line-strong)",
		borderRadius: "4px",
	},
	".cm-foldPlaceholder": {
		color: "var(--muted)",
		backgroundColor: "var(--sunken)",
		borderColor: "var(--line)",
	},
});

const colours = HighlightStyle.define([
	{ tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
	{ tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--accent)" },
	{ tag: [tags.string, tags.special(tags.string)], color: "var(--text)" },
	{ tag: [tags.bool, tags.number, tags.keyword], color: "var(--warning)" },
	{
		tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace],
		color: "var(--muted)",
	},
	{ tag: [tags.labelName, tags.typeName, tags.meta], color: "var(--reason-autograd)" },
]);

export const look = [theme, syntaxHighlighting(colours)];
