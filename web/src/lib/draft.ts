/** The longest text that is kept beyond the page, in characters. */
const LONGEST = 1_000_000;

/** What fields hold that are kept while their page is left, in this window alone. */
export type Field = "validate" | "upgrade";

const drafts = new Map<Field, string>();
const keyOf = (field: Field): string => `opatlas.${field}`;

/** Keeps what was typed, for when the page is opened again. */
export function keepDraft(field: Field, text: string): void {
	drafts.set(field, text);
	try {
		if (text.length <= LONGEST) sessionStorage.setItem(keyOf(field), text);
		else sessionStorage.removeItem(keyOf(field));
	} catch {
		// Without storage the text lasts as long as the page.
	}
}

/** What was typed before; nothing where nothing was. */
export function keptDraft(field: Field): string | undefined {
	const draft = drafts.get(field);
	if (draft !== undefined) return draft;
	try {
		return sessionStorage.getItem(keyOf(field)) ?? undefined;
	} catch {
		return undefined;
	}
}
