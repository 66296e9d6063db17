import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

/** How long a view may take to say what it is called, in milliseconds. */
const DRAWN = 100;

/**
 * What is said to a screen reader when another view has opened: its title. The focus goes to the
 * view where what had it is gone.
 */
export function useArrival(): string {
	const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
	const [said, setSaid] = useState("");
	const before = useRef(path);
	useEffect(() => {
		const isFirst = before.current === undefined;
		if (path === before.current) return;
		before.current = path;
		if (isFirst) return;
		const timer = setTimeout(() => {
			setSaid(document.title);
			if (document.activeElement !== document.body) return;
			document.getElementById("main")?.focus({ preventScroll: true });
		}, DRAWN);
		return () => clearTimeout(timer);
	}, [path]);
	return said;
}
