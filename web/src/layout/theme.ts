import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark";
const KEPT = "opatlas.theme";
/** What is drawn on a canvas has to be drawn again. */
const CHANGED = "opatlas-theme";
const dark = () => window.matchMedia("(prefers-color-scheme: dark)");

const ofSystem = (): Theme => (dark().matches ? "dark" : "light");

/** The theme that is shown: the chosen one, else that of the system. */
function shown(): Theme {
	const { theme } = document.documentElement.dataset;
	return theme === "light" || theme === "dark" ? theme : ofSystem();
}

function watch(tell: () => void): () => void {
	const system = dark();
	system.addEventListener("change", tell);
	window.addEventListener(CHANGED, tell);
	return () => {
		system.removeEventListener("change", tell);
		window.removeEventListener(CHANGED, tell);
	};
}

/** Shows a theme and keeps the choice; who chooses that of the system follows the system again. */
function choose(theme: Theme): void {
	const isSystem = theme === ofSystem();
	if (isSystem) delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = theme;
	try {
		if (isSystem) localStorage.removeItem(KEPT);
		else localStorage.setItem(KEPT, theme);
	} catch {
		// Without storage the choice lasts as long as the page.
	}
	window.dispatchEvent(new Event(CHANGED));
}

/** The theme that a click leads to, the opposite of what is shown, and what goes there. */
export function useTheme(): [Theme, () => void] {
	const other: Theme = useSyncExternalStore(watch, shown) === "dark" ? "light" : "dark";
	return [other, () => choose(other)];
}
