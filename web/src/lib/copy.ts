/**
 * Puts a text on the clipboard. Browsers hide it from pages without https, so a selection is copied
 * there, as one would by hand.
 *
 * Throws where the browser refuses both.
 */
export async function copyText(text: string): Promise<void> {
	if (navigator.clipboard !== undefined) {
		try {
			await navigator.clipboard.writeText(text);
			return;
		} catch {
			// It may be refused for lack of focus or by a policy; a selection may still work.
		}
	}
	const had = document.activeElement;
	const area = document.createElement("textarea");
	area.value = text;
	area.readOnly = true;
	area.className = "visually-hidden";
	// In a modal dialog nothing outside can be selected.
	(had?.closest("dialog") ?? document.body).append(area);
	area.select();
	const isCopied = document.execCommand("copy");
	area.remove();
	if (had instanceof HTMLElement) had.focus();
	if (!isCopied) throw new Error("The browser does not let this page copy. Select the text instead.");
}
