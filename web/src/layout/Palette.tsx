import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { type Place, revisionQuery } from "../api/queries";
import { ErrorView } from "../components/States";
import { addressOf } from "../lib/revisions";
import { findHits, type Hit, useHits, useRemoved } from "./hits";
import styles from "./Palette.module.css";

/** How long after the last letter former revisions are searched too, in milliseconds. */
const REST = 200;

/** `latest` as what it stands for just now, so that each hit can say where it leads. */
function useNamed(place: Place | undefined) {
	const isLatest = place?.rev === "latest";
	const latest = useQuery({
		...revisionQuery(place ?? { project: "", rev: "" }),
		enabled: isLatest,
	});
	const named = useMemo(() => {
		if (!place || !isLatest) return place;
		return latest.data && { project: place.project, rev: addressOf(latest.data) };
	}, [place?.project, place?.rev, isLatest, latest.data]);
	return { place: named, error: latest.error, loading: latest.isLoading };
}

/** A text once it has not changed for a moment. */
function useRested(text: string): string {
	const [rested, setRested] = useState(text);
	useEffect(() => {
		const wait = setTimeout(() => setRested(text), REST);
		return () => clearTimeout(wait);
	}, [text]);
	return rested;
}

/** The search over everything, by keyboard alone. */
export default function Palette({
	place: nearest,
	onClose,
}: {
	place: Place | undefined;
	onClose: () => void;
}) {
	const named = useNamed(nearest);
	const { place } = named;
	const of = useHits(place);
	const { hits } = of;
	const error = named.error ?? of.error;
	const loading = named.loading || of.loading;
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const sought = useDeferredValue(text);
	const removed = useRemoved(place, useRested(text));
	const found = useMemo(
		() => findHits(sought, hits, removed, place),
		[sought, hits, removed, place],
	);
	const navigate = useNavigate();
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
		else void navigate({ to: hit.to, search: hit.search as never });
	};
	const press = (event: KeyboardEvent) => {
		if (event.key === "Enter") {
			// What is deferred may be a letter behind.
			open(sought === text ? found[at] : findHits(text, hits, removed, place)[0]);
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
				placeholder="An operator, key, rule, topic, page or revision"
				autoComplete="off"
				spellCheck={false}
				value={text}
				onChange={(event) => {
					setText(event.target.value);
					setAt(0);
				}}
				onKeyDown={press}
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
