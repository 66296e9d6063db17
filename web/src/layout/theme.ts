import { useState } from "react";

export type Theme = "system" | "light" | "dark";
const THEMES: readonly Theme[] = ["system", "light", "dark"];
const KEPT = "opatlas.theme";

function current(): Theme {
	const theme = document.documentElement.dataset.theme;
	return theme === "light" || theme === "dark" ? theme : "system";
}

/** The theme, and what goes on to the next one; the choice is kept. */
export function useTheme(): [Theme, () => void] {
	const [theme, setTheme] = useState(current);
	const next = () => {
		const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
		setTheme(chosen);
		if (chosen === "system") delete document.documentElement.dataset.theme;
		else document.documentElement.dataset.theme = chosen;
		try {
			if (chosen === "system") localStorage.removeItem(KEPT);
			else localStorage.setItem(KEPT, chosen);
		} catch {
			// Without storage the choice lasts as long as the page.
		}
		// What is drawn on a canvas has to be drawn again.
		window.dispatchEvent(new Event("opatlas-theme"));
	};
	return [theme, next];
}
