import { useLayoutEffect, useRef } from "react";
import { hasLetters } from "../lib/letters";

/** Whether a key would be typed there. */
export function isTyping(target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) return false;
	const field = target.closest("input, textarea, select, [contenteditable=true]");
	return field !== null || target.shadowRoot !== null;
}

interface Bindings {
	search: () => void;
	help: () => void;
	/** `g` and then this letter. */
	go: (letter: string) => void;
}

/** How long a letter may follow `g`. */
const FOLLOWS_WITHIN = 1200;

/** The keys that work everywhere but where one types, and while no dialog is open. */
export function useGlobalKeys(bindings: Bindings): void {
	const latest = useRef(bindings);
	latest.current = bindings;
	useLayoutEffect(() => {
		let pressedG = Number.NEGATIVE_INFINITY;
		const press = (event: KeyboardEvent) => {
			const { search, help, go } = latest.current;
			if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
				event.preventDefault();
				search();
				return;
			}
			if (event.ctrlKey || event.metaKey || event.altKey) return;
			if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
			if (!hasLetters()) return;
			// By when it was pressed: a busy page may hear of it later.
			const follows = event.timeStamp - pressedG < FOLLOWS_WITHIN;
			pressedG = Number.NEGATIVE_INFINITY;
			if (follows) {
				// The letter belongs to the `g`, and does not step as well.
				event.preventDefault();
				go(event.key);
			} else if (event.key === "g") pressedG = event.timeStamp;
			else if (event.key === "/") {
				event.preventDefault();
				search();
			} else if (event.key === "?") help();
		};
		document.addEventListener("keydown", press);
		return () => document.removeEventListener("keydown", press);
	}, []);
}
