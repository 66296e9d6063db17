import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { matrixQuery, type Place, revisionQuery, revisionsQuery, rulesQuery } from "../api/queries";
import { ErrorView } from "../components/States";
import { best } from "../lib/match";
import { addressOf, isAt, titleOf } from "../lib/revisions";
import { keyPath, operatorPath, projectPath, revisionPath, rulePath } from "../nav";
import styles from "./Palette.module.css";

interface Hit {
	kind: "operator" | "key" | "rule" | "revision" | "search";
	name: string;
	note: string;
	/** The project and revision that it leads to; nothing where it leads to neither. */
	where?: string;
	to: string;
	/** Whether the server serves it, and not this page. */
	outside?: boolean;
	search?: { q: string };
}

/** How many hits are shown. */
const SHOWN = 50;

const nameOf = (hit: Hit) => hit.name;

/** The way on to all revisions, after everything of this one. */
function over(place: Place | undefined, text: string): Hit[] {
	const words = text.trim();
	if (place === undefined || words === "") return [];
	const to = projectPath(place.project, "search");
	const note = "names, arguments, types and kernels of all revisions";
	const where = `${place.project}, all revisions`;
	return [{ kind: "search", name: words, note, where, to, search: { q: words } }];
}

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

function useHits(place: Place | undefined): { hits: Hit[]; error: unknown; loading: boolean } {
	const at = place ?? { project: "", rev: "" };
	const matrix = useQuery({ ...matrixQuery(at), enabled: place !== undefined });
	const rules = useQuery(rulesQuery);
	const revisions = useQuery({ ...revisionsQuery(at.project), enabled: place !== undefined });
	const hits = useMemo(() => {
		const hits: Hit[] = [];
		if (place) {
			const item = revisions.data?.find((item) => isAt(item, place.rev));
			const where = `${place.project} ${item ? titleOf(item) : place.rev}`;
			for (const { name, schema } of matrix.data?.operators ?? []) {
				const to = operatorPath(place, name);
				hits.push({ kind: "operator", name, note: schema, where, to });
			}
			for (const { key, functionality } of matrix.data?.keys ?? []) {
				const to = keyPath(place, key);
				hits.push({ kind: "key", name: key, note: functionality, where, to });
			}
			for (const item of revisions.data ?? []) {
				const to = revisionPath({ project: item.project, rev: addressOf(item) });
				const of = { note: item.address, where: item.project, to };
				hits.push({ kind: "revision", name: titleOf(item), ...of });
			}
		}
		for (const { id, what } of rules.data ?? []) {
			const to = rulePath(id);
			hits.push({ kind: "rule", name: id, note: what, to, outside: to.startsWith("/v1/") });
		}
		return hits;
	}, [place, matrix.data, rules.data, revisions.data]);
	return { hits, error: matrix.error ?? rules.error, loading: matrix.isLoading };
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
	const found = useMemo(() => [...best(sought, hits, nameOf, SHOWN), ...over(place, sought)], [sought, hits, place]);
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
			open(sought === text ? found[at] : (best(text, hits, nameOf, 1)[0] ?? over(place, text)[0]));
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
				placeholder="An operator, key, rule or revision"
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
