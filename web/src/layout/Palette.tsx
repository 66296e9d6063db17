import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useEffectEvent, useMemo, useRef } from "react";
import type { Place } from "../api/queries";
import { ErrorView } from "../components/States";
import { stringify } from "../lib/search";
import { useRested } from "../lib/useRested";
import { findHits, type Hit, useFound, useHits, useNames, usePairs } from "./hits";
import styles from "./Palette.module.css";
import { useAt } from "./place";
import { useExplain } from "./useExplain";

/** How long after the last letter former revisions are searched too, in milliseconds. */
const REST = 200;

interface Props {
	place: Place | undefined;
	text: string;
	/** A text of several lines, to explain. */
	pasted: string | undefined;
	/** How often the hit that is chosen was to be opened. */
	entered: number;
	/** The place of the hit that is chosen; it may be beyond the last one. */
	at: number;
	onAt: (at: number) => void;
	/** Is told the element of the hit that is chosen. */
	onChosen: (id: string | undefined) => void;
	onClose: () => void;
}

/** What a text leads to. */
export default function Palette(props: Props) {
	const { place: nearest, text, pasted, entered, at, onAt, onChosen, onClose } = props;
	const named = useAt(nearest);
	const place = named.at;
	const of = useHits(place);
	const error = named.error ?? of.error;
	const loading = named.isLoading || of.loading;
	const sought = useDeferredValue(text);
	const rested = useRested(text, REST);
	const server = useFound(place, rested);
	const pairs = usePairs(place);
	const names = useNames(nearest?.project, rested);
	const hits = useMemo(() => [...of.hits, ...names], [of.hits, names]);
	const found = useMemo(
		() => findHits(sought, hits, server, pairs, place),
		[sought, hits, server, pairs, place],
	);
	const navigate = useNavigate();
	const explain = useExplain();
	const list = useRef<HTMLDivElement>(null);
	const last = found.length - 1;
	const chosen = found[at] ? `palette-${at}` : undefined;
	useEffect(() => onChosen(chosen), [chosen, onChosen]);
	useEffect(() => {
		if (at > last && last >= 0) onAt(last);
		list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
	}, [at, last, onAt]);
	const open = (hit: Hit | undefined) => {
		if (!hit) return;
		onClose();
		if (hit.outside) window.location.assign(hit.to);
		else if (hit.message !== undefined) explain(hit.message);
		else void navigate({ href: hit.to + stringify({ ...hit.search }) });
	};
	const take = useEffectEvent((message: string) => {
		onClose();
		explain(message);
	});
	useEffect(() => {
		if (pasted !== undefined) take(pasted);
	}, [pasted]);
	const enter = useEffectEvent(() => {
		// What is deferred may be a letter behind.
		open(sought === text ? found[at] : findHits(text, hits, server, pairs, place)[0]);
	});
	useEffect(() => {
		// Hits that are still to come may be better.
		if (entered > 0 && !loading) enter();
	}, [entered, loading]);
	return (
		<>
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
		</>
	);
}
