import { useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";

/** How long what a fragment names is waited for, in milliseconds. */
const PATIENCE = 10_000;

/**
 * Brings what the fragment names into view as soon as it is drawn: most of a page comes later than
 * its address. Whoever scrolls or types meanwhile stays where they are.
 */
export function useHashScroll(): void {
	const path = useRouterState({ select: (state) => state.location.pathname });
	const hash = useRouterState({ select: (state) => state.location.hash });
	useEffect(() => {
		// What views keep in fragments themselves has signs that ids do not have.
		if (!/^[\w.:-]+$/.test(hash)) return;
		if (document.getElementById(hash)) return;
		const observer = new MutationObserver(() => {
			const found = document.getElementById(hash);
			if (!found) return;
			stop();
			found.scrollIntoView();
		});
		const stop = () => {
			observer.disconnect();
			window.clearTimeout(end);
			for (const kind of KINDS) window.removeEventListener(kind, stop);
		};
		const end = window.setTimeout(stop, PATIENCE);
		for (const kind of KINDS) window.addEventListener(kind, stop, { passive: true });
		observer.observe(document.body, { childList: true, subtree: true });
		return stop;
	}, [path, hash]);
}

const KINDS = ["wheel", "touchmove", "keydown"] as const;
