import { useEffect, useRef, useState } from "react";
import { isTyping } from "../../layout/keys";

/** A value once it has rested for so many milliseconds. */
export function useDebounced<T>(value: T, rest: number): T {
	const [rested, setRested] = useState(value);
	useEffect(() => {
		const wait = setTimeout(() => setRested(value), rest);
		return () => clearTimeout(wait);
	}, [value, rest]);
	return rested;
}

/** `n` and `p` step forward and back, but not while one types. */
export function useStepKeys(step: (by: number) => void): void {
	const latest = useRef(step);
	latest.current = step;
	useEffect(() => {
		const press = (event: KeyboardEvent) => {
			if (event.ctrlKey || event.metaKey || event.altKey) return;
			if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
			if (event.key === "n") latest.current(1);
			if (event.key === "p") latest.current(-1);
		};
		document.addEventListener("keydown", press);
		return () => document.removeEventListener("keydown", press);
	}, []);
}
