import { useSyncExternalStore } from "react";

const PRINT = window.matchMedia("print");

function watch(tell: () => void): () => void {
	PRINT.addEventListener("change", tell);
	return () => PRINT.removeEventListener("change", tell);
}

/** Whether the page is being printed: then lists that draw what is seen draw all. */
export const usePrinting = (): boolean => useSyncExternalStore(watch, () => PRINT.matches);
