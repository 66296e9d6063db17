import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import {
	type At,
	type MatrixView,
	matrixQuery,
	type NameItem,
	namesBefore,
	namesQuery,
	type Place,
	rulesQuery,
	searchQuery,
	topicsQuery,
} from "../api/queries";
import type { components } from "../api/schema";
import { counted } from "../lib/format";
import { placeAddress, placeTitle } from "../lib/history";
import { candidateOf } from "../lib/matrix";
import { isMessage } from "../lib/message";
import { familyOf } from "../lib/names";
import { titleOf } from "../lib/revisions";
import { alike, type Candidate, candidate, fitting, plain } from "../lib/sought";
import type { TopicItem } from "../lib/topics";
import {
	keyPath,
	NAV,
	namePath,
	operatorPath,
	PAGES,
	projectPath,
	revisionPath,
	rulePath,
	topicPath,
	WHY,
} from "../nav";
import { pairHits } from "./pairs";
import { wayHits } from "./wayHits";

/** What the search leads to. */
export interface Hit {
	kind:
		| "operator"
		| "overloads"
		| "removed"
		| "way"
		| "key"
		| "rule"
		| "topic"
		| "page"
		| "revision"
		| "commit"
		| "message"
		| "search";
	name: string;
	note: string;
	/** The project and revision that it leads to; nothing where it leads to neither. */
	where?: string;
	to: string;
	/** Whether the server serves it, and not this page. */
	outside?: boolean;
	search?: { q: string };
	/** The message that its page explains. */
	message?: string;
	/** As the search sees it. */
	of: Candidate;
}

/** How many hits are shown. */
const SHOWN = 50;
/** How many revisions are asked for. */
const NAMES = 20;
/** How many operators of former revisions are asked for, and shown. */
const REMOVED = 8;
/** From how many letters on they are asked for. */
const ENOUGH = 3;
/** How many operators the note of a base name lists. */
const LISTED = 6;

type Gone = components["schemas"]["FoundView"];

/** The operators of a revision, and the names that several of them share. */
function operatorHits(place: Place, view: MatrixView, where: string): Hit[] {
	const hits: Hit[] = [];
	const names = new Map<string, string[]>();
	for (const operator of view.operators) {
		const { name, schema } = operator;
		const to = operatorPath(place, name);
		hits.push({ kind: "operator", name, note: schema, where, to, of: candidateOf(operator) });
		const family = familyOf(name);
		const of = names.get(family);
		if (of) of.push(name);
		else names.set(family, [name]);
	}
	for (const [name, of] of names) {
		if (of.length < 2) continue;
		const more = of.length > LISTED ? ", …" : "";
		const note = `${counted(of.length, "operator")}: ${of.slice(0, LISTED).join(", ")}${more}`;
		const to = namePath(place, name);
		hits.push({ kind: "overloads", name, note, where, to, of: candidate(name) });
	}
	return hits;
}

function keyHits(place: Place, view: MatrixView, where: string): Hit[] {
	return view.keys.map(({ key: name, functionality: note }) => {
		const of = candidate(name, note);
		return { kind: "key", name, note, where, to: keyPath(place, name), of };
	});
}

/** Revisions by their names. */
function revisionHits(project: string, items: readonly NameItem[]): Hit[] {
	return items.map((item): Hit => {
		const { commit, date, labels, label, revision } = item;
		const to = revisionPath({ project, rev: placeAddress(item) });
		const name = placeTitle(item);
		if (commit) {
			const of = candidate(commit.id, commit.subject);
			const note = `${(date ?? "").slice(0, 10)}  ${commit.subject}`;
			return { kind: "commit", name, note, where: project, to, of };
		}
		const others = labels.filter((other) => other !== label).join(", ");
		const note = others === "" ? titleOf(revision) : `${titleOf(revision)}, also ${others}`;
		return { kind: "revision", name, note, where: project, to, of: candidate(name, revision) };
	});
}

function topicHits(topics: readonly TopicItem[]): Hit[] {
	return topics.map(({ id, names, summary }) => {
		const note = summary.replaceAll("`", "");
		const of = candidate(id, `${names.join(" ")} ${note}`);
		return { kind: "topic", name: id, note, to: topicPath(id), of };
	});
}

/** The views of the header and those that other pages lead to. */
function pageHits(place: Place | undefined): Hit[] {
	const hits: Hit[] = [];
	for (const { label: name, to: path, note = "", outside = false } of [...NAV, ...PAGES]) {
		const to = path(place);
		if (to === undefined) continue;
		hits.push({ kind: "page", name, note, to, outside, of: candidate(name, note) });
	}
	return hits;
}

/** Operators that the last revision does not have, each with the revision that had it last. */
function removedHits(place: Place, found: readonly Gone[]): Hit[] {
	return found.map(({ operator: name, present }) => {
		const last = present.at(-1)?.to;
		const note = last ? `last in ${placeTitle(last)}` : "in no revision any more";
		const to = operatorPath(place, name);
		return { kind: "removed", name, note, where: place.project, to, of: candidate(name) };
	});
}

/** The way on to all revisions, after everything of this one. */
function over(place: Place | undefined, text: string): Hit[] {
	const words = text.trim();
	if (place === undefined || words === "") return [];
	const to = projectPath(place.project, "search");
	const note = "names, arguments, types and kernels of all revisions";
	const where = `${place.project}, all revisions`;
	const of = candidate(words);
	return [{ kind: "search", name: words, note, where, to, search: { q: words }, of }];
}

/** The way on to what a message means. */
function explained(text: string): Hit[] {
	if (!isMessage(text)) return [];
	const name = "Explain this message";
	const note = "what it means and what to do";
	return [{ kind: "message", name, note, to: WHY, message: text, of: candidate(name) }];
}

/** Everything that a search can lead to from a place, loaded once. */
export function useHits(place: At | undefined) {
	const matrix = useQuery({
		...matrixQuery(place ?? { project: "", digest: "" }),
		enabled: place !== undefined,
	});
	const rules = useQuery(rulesQuery);
	const topics = useQuery(topicsQuery);
	const hits = useMemo(() => {
		const where = place ? `${place.project} ${titleOf(place.rev)}` : "";
		const of = place && matrix.data;
		return [
			...(of ? operatorHits(place, of, where) : []),
			...(of ? keyHits(place, of, where) : []),
			...pageHits(place),
			...topicHits(topics.data ?? []),
			...(rules.data ?? []).map(({ id: name, what: note }): Hit => {
				const to = rulePath(name);
				return { kind: "rule", name, note, to, of: candidate(name, note) };
			}),
		];
	}, [place, matrix.data, rules.data, topics.data]);
	return { hits, error: matrix.error ?? rules.error, loading: matrix.isLoading };
}

/** Revisions whose names have the words; the newest where there are none. */
export function useNames(project: string | undefined, text: string): readonly Hit[] {
	const found = useQuery({
		...namesQuery(project ?? "", text.trim(), NAMES),
		enabled: project !== undefined,
		placeholderData: namesBefore(project ?? ""),
	});
	const items = found.data?.items;
	return useMemo(
		() => (project !== undefined && items ? revisionHits(project, items) : []),
		[project, items],
	);
}

/** What the server finds: operators of former revisions, and a way that the words name. */
export interface Found {
	removed: readonly Hit[];
	/** What leads to the way, and the words that named it. */
	ways: readonly Hit[];
	words: string;
	/** Whether the words are about the way rather than also about something else. */
	isOfWay: boolean;
}

/** What is asked of the server, for words that are not typed any further. */
export function useFound(place: At | undefined, text: string): Found {
	const words = text.trim();
	const enabled = place !== undefined && plain(words).length >= ENOUGH;
	const asked = { removed: true, limit: REMOVED };
	const found = useQuery({ ...searchQuery(place?.project ?? "", words, asked), enabled }).data;
	const view = useQuery({
		...matrixQuery(place ?? { project: "", digest: "" }),
		enabled: place !== undefined,
	}).data;
	return useMemo(() => {
		const way = found?.way ?? undefined;
		const where = place ? `${place.project} ${titleOf(place.rev)}` : "";
		return {
			removed: place && found ? removedHits(place, found.items) : [],
			ways: place && view && way ? wayHits(place, view, way, where) : [],
			words,
			isOfWay: way !== undefined && (way.missing || way.rest !== ""),
		};
	}, [place, found, view, words]);
}

/** What finds operators beside a key in a text. */
export function usePairs(place: At | undefined): (text: string) => readonly Hit[] {
	const view = useQuery({
		...matrixQuery(place ?? { project: "", digest: "" }),
		enabled: place !== undefined,
	}).data;
	return useCallback(
		(text) => {
			if (!place || !view || isMessage(text)) return [];
			return pairHits(place, view, `${place.project} ${titleOf(place.rev)}`, text);
		},
		[place, view],
	);
}

/**
 * What is shown for a text: operators beside a key, then what fits, then what was removed, then the way on to all revisions. A way
 * that the text names next to something else comes first.
 */
export function findHits(
	text: string,
	hits: readonly Hit[],
	{ removed, ways, words, isOfWay }: Found,
	pairsOf: (text: string) => readonly Hit[],
	place: Place | undefined,
): Hit[] {
	const pairs = pairsOf(text);
	const of = (hit: Hit) => hit.of;
	const here = fitting(text, hits, of);
	const named = words === text.trim() ? ways : [];
	const known = new Set(here.map(({ to }) => to));
	const gone = removed.filter(({ to }) => !known.has(to));
	const room = SHOWN - gone.length - named.length;
	const isElsewhere = here.length + pairs.length === 0 && !(isOfWay && named.length > 0);
	const fits = isElsewhere ? alike(text, hits, of).slice(0, room) : here.slice(0, room);
	const found = isElsewhere ? [...gone, ...fits] : [...fits, ...gone];
	const first = isOfWay ? [...named, ...found] : [...found, ...named];
	return [...explained(text), ...pairs, ...first, ...over(place, text)];
}
