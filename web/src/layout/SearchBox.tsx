import { type ClipboardEvent, type KeyboardEvent, Suspense, useLayoutEffect, useRef, useState } from "react";
import type { Place } from "../api/queries";
import { lazyPart } from "../lib/lazyPage";
import styles from "./Palette.module.css";
import type { Beginning } from "./search";

const Hits = lazyPart(() => import("./Palette"));

/** Keys that move in the hits. */
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

interface Props {
	place: Place | undefined;
	beginning: Beginning;
	onClose: () => void;
}

/**
 * The search over everything, by keyboard alone. The field is there at once, and what finds hits
 * comes later, so no letter is lost.
 */
export function SearchBox({ place, beginning, onClose }: Props) {
	const [text, setText] = useState(beginning.text);
	const [pasted, setPasted] = useState(beginning.pasted);
	const [entered, setEntered] = useState(Number(beginning.isEntered ?? false));
	const [at, setAt] = useState(0);
	const [chosen, setChosen] = useState<string>();
	const field = useRef<HTMLInputElement>(null);
	useLayoutEffect(() => {
		const node = field.current;
		node?.focus();
		node?.setSelectionRange(node.value.length, node.value.length);
	}, []);
	const paste = (event: ClipboardEvent) => {
		// A field of one line would lose where lines end.
		const lines = event.clipboardData.getData("text");
		if (!lines.trim().includes("\n")) return;
		event.preventDefault();
		setPasted(lines);
	};
	const press = (event: KeyboardEvent) => {
		if (event.key === "Enter") {
			setEntered((times) => times + 1);
			return;
		}
		const step = STEPS[event.key];
		if (step === undefined) return;
		event.preventDefault();
		setAt((at) => Math.max(0, at + step));
	};
	return (
		<div className={styles.palette}>
			<input
				ref={field}
				className={styles.input}
				type="text"
				role="combobox"
				aria-label="Search"
				aria-expanded="true"
				aria-controls="palette-hits"
				aria-activedescendant={chosen}
				placeholder="An operator, key, rule, page or revision, or an error message"
				autoComplete="off"
				spellCheck={false}
				value={text}
				onChange={(event) => {
					setText(event.target.value);
					setEntered(0);
					setAt(0);
				}}
				onKeyDown={press}
				onPaste={paste}
			/>
			<Suspense
				fallback={
					<p id="palette-hits" className={styles.foot} role="status">
						Loading …
					</p>
				}
			>
				<Hits
					place={place}
					text={text}
					pasted={pasted}
					entered={entered}
					at={at}
					onAt={setAt}
					onChosen={setChosen}
					onClose={onClose}
				/>
			</Suspense>
		</div>
	);
}
