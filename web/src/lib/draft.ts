/** Where the text of the editor is kept while its page is left, in this window alone. */
const KEPT = "opatlas.validate";
/** The longest text that is kept beyond the page, in characters. */
const LONGEST = 1_000_000;

let draft: string | undefined;

/** Keeps what was typed, for when the page is opened again. */
export function keepDraft(text: string): void {
	draft = text;
	try {
		if (text.length <= LONGEST) sessionStorage.setItem(KEPT, text);
		else sessionStorage.removeItem(KEPT);
	} catch {
		// Without storage the text lasts as long as the page.
	}
}

/** What was typed before; nothing where nothing was. */
export function keptDraft(): string | undefined {
	if (draft !== undefined) return draft;
	try {
		return sessionStorage.getItem(KEPT) ?? undefined;
	} catch {
		return undefined;
	}
}
