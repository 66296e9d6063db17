import { createContext, useContext } from "react";

/** What the search begins with. */
export interface Beginning {
	text: string;
	/** Whether Enter was pressed already: the best hit opens once there is one. */
	isEntered?: boolean;
	/** A text of several lines, which is a message to explain. */
	pasted?: string;
}

/** Opens the search. */
export const SearchContext = createContext<(beginning: Beginning) => void>(() => undefined);

export const useSearchDialog = () => useContext(SearchContext);

declare global {
	interface Window {
		/** Hands over what was typed before the program was there (`public/keys.js`). */
		opatlasKeys?: () => Beginning & { isOpen: boolean };
	}
}

/** What was typed to search for before the program was there; undefined where nothing was. */
export function typedBefore(): Beginning | undefined {
	const kept = window.opatlasKeys?.();
	return kept?.isOpen ? kept : undefined;
}
