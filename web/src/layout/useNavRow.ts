import { type RefObject, useEffect, useRef } from "react";

/**
 * The row of views, which scrolls sideways where the window is narrow: the one that is open stays in
 * sight, and `data-before` and `data-after` say where there are more.
 */
export function useNavRow(path: string, place: unknown): RefObject<HTMLElement | null> {
	const nav = useRef<HTMLElement>(null);
	useEffect(() => {
		// `scrollIntoView` would also move where the Tab key begins, past the link to the content.
		const current = nav.current?.querySelector("[aria-current]")?.getBoundingClientRect();
		const box = nav.current?.getBoundingClientRect();
		if (!nav.current || !current || !box) return;
		nav.current.scrollLeft += Math.max(0, current.right - box.right + MARGIN);
		nav.current.scrollLeft += Math.min(0, current.left - box.left - MARGIN);
	}, [path, place]);
	useEffect(() => {
		const row = nav.current;
		if (!row) return;
		const mark = () => {
			const left = row.scrollWidth - row.clientWidth - row.scrollLeft;
			row.toggleAttribute("data-before", row.scrollLeft > 1);
			row.toggleAttribute("data-after", left > 1);
		};
		mark();
		const observer = new ResizeObserver(mark);
		observer.observe(row);
		row.addEventListener("scroll", mark, { passive: true });
		return () => {
			observer.disconnect();
			row.removeEventListener("scroll", mark);
		};
	}, [place]);
	return nav;
}

/** How much of the neighbors is seen beside the view that is open, in pixels. */
const MARGIN = 40;
