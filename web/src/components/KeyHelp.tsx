import { useQuery } from "@tanstack/react-query";
import {
	type FocusEvent,
	type PointerEvent,
	type ReactNode,
	useEffect,
	useId,
	useLayoutEffect,
	useRef,
	useState,
} from "react";
import { topicsQuery } from "../api/queries";
import styles from "./KeyHelp.module.css";
import { Prose } from "./Prose";

/** How long one points at a key before it is explained, in milliseconds. */
const RESTS = 250;

/**
 * Explains the dispatch keys in it: the summary of the key's topic appears when one points at an
 * element with `data-key` or moves the focus there. Escape takes it away. `data-help` is said first.
 */
export function KeyHelp({ children }: { children: ReactNode }) {
	const id = useId();
	const [at, setAt] = useState<HTMLElement>();
	const waits = useRef<number>(undefined);
	const tip = useRef<HTMLDivElement>(null);
	const { data: topics } = useQuery({ ...topicsQuery, enabled: at !== undefined });
	const key = at?.dataset.key;
	const topic = topics?.find(({ id, names }) => id === key || (key && names.includes(key)));
	const show = (element: HTMLElement | undefined, after: number) => {
		window.clearTimeout(waits.current);
		waits.current = window.setTimeout(() => setAt(element), after);
	};
	const keyOf = (event: PointerEvent | FocusEvent) =>
		(event.target as HTMLElement).closest<HTMLElement>("[data-key]") ?? undefined;
	useEffect(() => () => window.clearTimeout(waits.current), []);
	useEffect(() => {
		if (!at) return;
		const close = () => setAt(undefined);
		const press = (event: KeyboardEvent) => event.key === "Escape" && close();
		at.setAttribute("aria-describedby", id);
		document.addEventListener("keydown", press);
		document.addEventListener("scroll", close, true);
		return () => {
			at.removeAttribute("aria-describedby");
			document.removeEventListener("keydown", press);
			document.removeEventListener("scroll", close, true);
		};
	}, [at, id]);
	useLayoutEffect(() => {
		if (at && tip.current) place(tip.current, at.getBoundingClientRect());
	}, [at, topic]);
	return (
		<div
			onPointerOver={(event) => {
				// The explanation itself can be pointed at and read.
				if (tip.current?.contains(event.target as Node)) show(at, 0);
				else if (event.pointerType === "mouse") show(keyOf(event), RESTS);
			}}
			onPointerLeave={() => show(undefined, RESTS)}
			onFocus={(event) => show(keyOf(event), 0)}
			onBlur={() => show(undefined, 0)}
		>
			{children}
			{at && (
				<div ref={tip} id={id} role="tooltip" className={styles.tip}>
					<strong className="mono">{key}</strong>
					{at.dataset.help && <p>{at.dataset.help}</p>}
					{topic && (
						<p>
							<Prose text={topic.summary} />
						</p>
					)}
				</div>
			)}
		</div>
	);
}

/** Positions the popover below its key, or above if there is no room below, inside the window. */
function place(tip: HTMLElement, { left, top, bottom }: DOMRect): void {
	const { width, height } = tip.getBoundingClientRect();
	const isBelow = bottom + height + 8 < window.innerHeight;
	tip.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
	tip.style.top = `${isBelow ? bottom + 4 : Math.max(8, top - height - 4)}px`;
}
