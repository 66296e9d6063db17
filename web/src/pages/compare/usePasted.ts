import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { fromSides, type Sides, sidesIn, toSides } from "../../lib/sides";

/** Why the address does not hold what is compared: it is broken, or would be too long. */
export type Unkept = { kind: "broken" } | { kind: "long"; bytes: number };

interface Pasted {
	/** What stands in the fields. */
	texts: Sides;
	setTexts: (texts: Sides) => void;
	/** What is compared; nothing until somebody asks. */
	asked: Sides | undefined;
	unkept: Unkept | undefined;
	/** Compares, and puts the texts into the address. */
	compare: (texts: Sides) => void;
}

/**
 * Two pasted texts. What is compared stands in the fragment, which browsers send to nobody, so that
 * an address can be shared, and a reload and Back show what they showed. `example` is what a
 * comparison begins with where the fragment holds none.
 */
export function usePasted(beginning: Sides, example: Sides | undefined): Pasted {
	const [texts, setTexts] = useState(beginning);
	const [asked, setAsked] = useState<Sides>();
	const [unkept, setUnkept] = useState<Unkept>();
	const part = useRouterState({ select: (state) => sidesIn(state.location.hash) });
	const navigate = useNavigate({ from: "/compare" });
	// What was put into the address here is at hand already, and may be too long for it.
	const own = useRef<string>(undefined);
	useEffect(() => {
		if (part === own.current) return;
		let isLate = false;
		const show = (found: Sides | undefined) => {
			if (isLate) return;
			own.current = undefined;
			const sides = found ?? (part === "" ? example : undefined);
			setUnkept(part !== "" && found === undefined ? { kind: "broken" } : undefined);
			setAsked(sides);
			if (sides) setTexts(sides);
		};
		if (part === "") show(undefined);
		else void fromSides(part).then(show);
		return () => {
			isLate = true;
		};
	}, [part, example]);
	const compare = useCallback(
		async (sides: Sides) => {
			const kept = await toSides(sides);
			const next = typeof kept === "string" ? kept : "";
			own.current = next;
			setAsked(sides);
			setUnkept(typeof kept === "string" ? undefined : { kind: "long", bytes: kept.bytes });
			if (next === part) return;
			void navigate({
				to: ".",
				search: (now) => ({ ...now, from: "files", rule: undefined }),
				hash: next,
				resetScroll: false,
				hashScrollIntoView: false,
			});
		},
		[part, navigate],
	);
	return { texts, setTexts, asked, unkept, compare: (sides) => void compare(sides) };
}
