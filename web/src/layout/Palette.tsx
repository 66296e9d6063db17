import { useNavigate } from "@tanstack/react-router";
import { type ClipboardEvent, type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Place } from "../api/queries";
import { ErrorView } from "../components/States";
import { stringify } from "../lib/search";
import { useRested } from "../lib/useRested";
import { findHits, type Hit, useFound, useHits, useNames } from "./hits";
import { useAt } from "./place";
import styles from "./Palette.module.css";
import { useExplain } from "./useExplain";

/** How long after the last letter former revisions are searched too, in milliseconds. */
const REST = 200;

/** The search over everything, by keyboard alone. */
export default function Palette({
	place: nearest,
	onClose,
}: {
	place: Place | undefined;
	onClose: () => void;
}) {
	const named = useAt(nearest);
	const place = named.at;
	const of = useHits(place);
	const error = named.error ?? of.error;
	const loading = named.isLoading || of.loading;
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const sought = useDeferredValue(text);
	const rested = useRested(text, REST);
	const server = useFound(place, rested);
	const names = useNames(nearest?.project, rested);
	const hits = useMemo(() => [...of.hits, ...names], [of.hits, names]);
	const found = useMemo(
		() => findHits(sought, hits, server, place),
		[sought, hits, server, place],
	);
	const navigate = useNavigate();
	const explain = useExplain();
	const list = useRef<HTMLDivElement>(null);
	const input = useRef<HTMLInputElement>(null);
	useEffect(() => input.current?.focus(), []);
	useEffect(() => {
		list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
	}, [at]);
	const open = (hit: Hit | undefined) => {
		if (!hit) return;
		onClose();
		if (hit.outside) window.location.assign(hit.to);
		else if (hit.message !== undefined) explain(hit.message);
		else void navigate({ href: hit.to + stringify({ ...hit.search }) });
	};
	const paste = (event: ClipboardEvent) => {
		// A field of one line would lose where lines end.
		const pasted = event.clipboardData.getData("text");
		if (!pasted.trim().includes("\n")) return;
		event.preventDefault();
		onClose();
		explain(pasted);
	};
	const press = (event: KeyboardEvent) => {
		if (event.key === "Enter") {
			// What is deferred may be a letter behind.
			open(sought === text ? found[at] : findHits(text, hits, server, place)[0]);
			return;
		}
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
		if (step === undefined) return;
		event.preventDefault();
		setAt(Math.max(0, Math.min(found.length - 1, at + step)));
	};
	return (
		<div className={styles.palette}>
			<input
				ref={input}
				className={styles.input}
				type="text"
				role="combobox"
				aria-label="Search"
				aria-expanded="true"
				aria-controls="palette-hits"
				aria-activedescendant={found[at] ? `palette-${at}` : undefined}
				placeholder="An operator, key, rule, page or revision, or an error message"
				autoComplete="off"
				spellCheck={false}
				value={text}
				onChange={(event) => {
					setText(event.target.value);
					setAt(0);
				}}
				onKeyDown={press}
				onPaste={paste}
			/>
			{error ? <ErrorView error={error} /> : null}
			<div ref={list} id="palette-hits" role="listbox" aria-label="Hits" className={styles.hits}>
				{found.map((hit, index) => (
					<div
						key={`${hit.kind} ${hit.name} ${hit.to}`}
						id={`palette-${index}`}
						data-at={index}
						role="option"
						aria-selected={index === at}
						className={styles.hit}
						onClick={() => open(hit)}
					>
						<span className={styles.kind}>{hit.kind}</span>
						<span className={styles.name}>{hit.name}</span>
						{hit.where !== undefined && <span className={styles.where}>{hit.where}</span>}
						<span className={styles.note}>{hit.note}</span>
					</div>
				))}
			</div>
			<p className={styles.foot} role="status">
				{loading && "Loading …"}
				{!loading && found.length === 0 && "No results."}
				{found.length > 0 && "↑ ↓ to move, Enter to open, Esc to close"}
			</p>
		</div>
	);
}
