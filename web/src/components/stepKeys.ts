import { useEffect, useRef } from "react";
import { isTyping } from "../layout/keys";
import { hasLetters } from "../lib/letters";

/** The keys that step, with where each goes. */
const FINDINGS = { n: 1, p: -1 } as const;
const ITEMS = { j: 1, k: -1 } as const;
const MARK = { v: 1 } as const;

/**
 * `n` and `p` step forward and back, but not while one types or a dialog is open; with `items` so do
 * `j` and `k`.
 */
export function useStepKeys(step: (by: number) => void, { items = false } = {}): void {
	useLetters(items ? { ...FINDINGS, ...ITEMS } : FINDINGS, step);
}

/** `v` marks what one is at, under the same conditions. */
export function useMarkKey(mark: () => void): void {
	useLetters(MARK, mark);
}

/** `j` and `k` step forward and back through a list, under the same conditions. */
export function useItemKeys(step: (by: number) => void, enabled: boolean): void {
	useLetters(enabled ? ITEMS : {}, step);
}

function useLetters(letters: Readonly<Record<string, number>>, step: (by: number) => void): void {
	const latest = useRef({ letters, step });
	latest.current = { letters, step };
	useEffect(() => {
		const press = (event: KeyboardEvent) => {
			if (event.ctrlKey || event.metaKey || event.altKey) return;
			if (event.defaultPrevented || !hasLetters()) return;
			if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
			const { letters, step } = latest.current;
			const by = letters[event.key];
			if (by !== undefined) step(by);
		};
		document.addEventListener("keydown", press);
		return () => document.removeEventListener("keydown", press);
	}, []);
}
