// What people write when they look for an operator: the same as `crates/operators/src/sought.rs`
// understands, and `tests/search/queries.txt` holds both to it.

import { nearest } from "./distance";

/** What may come before the name of an operator in C++ and Python, in lower case. */
const PREFIXES = new Set([
	"torch",
	"aten",
	"at",
	"native",
	"_ops",
	"redispatch",
	"nn",
	"functional",
	"f",
	"tensor",
	"_c",
	"_nn",
	"_variablefunctions",
	"_tensorbase",
]);
/** What may follow it in `at::_ops` and `torch.ops`. */
const SUFFIX = /(::call|::redispatch|\.default)$/;
/** Other spellings are looked for up to this many words. */
const MOST_LOOSE_WORDS = 8;
/** How many known names one unknown word may stand for. */
const MOST_NEAR = 4;
/** How many letters a word needs before parts of names without their underscores count. */
const LEAST_LETTERS = 4;
/** The rank of the nearest other spelling, and of letters that a name has in their order. */
const LOOSE = 8;
const IN_ORDER = 16;

interface Word {
	/** In lower case, without what comes before a name. */
	text: string;
	/** The same up to a parenthesis. */
	name: string;
	/** The name without what separates its words. */
	letters: string;
	/** What follows the last dot. */
	last: string | undefined;
	/** Known names that differ little, nearest first. */
	near: readonly string[];
}

/** Words that are searched for. */
export interface Sought {
	words: readonly Word[];
	/** Whether other spellings fit too. */
	isLoose: boolean;
}

/** What is compared with the words, in lower case. */
export interface Candidate {
	/** The name, qualified unless its namespace is `aten`. */
	name: string;
	bare: string;
	base: string;
	letters: string;
	baseLetters: string;
	/** What else may hold a word, such as a schema. */
	text: string;
}

/** A name to search for, with another text that words may occur in. */
export function candidate(name: string, text = ""): Candidate {
	const lower = name.toLowerCase();
	const bare = lower.replace(/^\w+::/, "");
	const base = baseOf(bare);
	return {
		name: lower,
		bare,
		base,
		letters: lettersOf(bare),
		baseLetters: lettersOf(base),
		text: text.toLowerCase(),
	};
}

const baseOf = (name: string) => name.split(".", 1)[0] ?? name;

/** The underscore at the end of an in-place operator is part of its name. */
const lettersOf = (name: string) => name.replace(/[.:]|_(?!$|\.)/g, "");

/** Reads a text that somebody typed or copied. */
export function parseSought(text: string): Sought {
	const words = text.split(/\s+/).map(parseWord);
	return { words: words.filter((word) => word.text !== ""), isLoose: false };
}

function parseWord(word: string): Word {
	const text = bareName(word.replace(/^["'`,;]+|["'`,;]+$/g, "").toLowerCase());
	const at = text.indexOf("(");
	const name = at > 0 ? text.slice(0, at) : text;
	const last = name.slice(name.lastIndexOf(".") + 1);
	return {
		text,
		name,
		letters: lettersOf(name),
		last: last === name || last === "" ? undefined : last,
		near: [],
	};
}

/** A name without what C++ and Python write around it. */
function bareName(word: string): string {
	let rest = word;
	let isNamespace = false;
	for (;;) {
		const [path, first = ""] = /^([^.:(]*)(?:::|\.)/.exec(rest) ?? [];
		if (path === undefined) break;
		const after = rest.slice(path.length);
		if (isNamespace && first !== "aten") return `${first}::${after.replace(SUFFIX, "")}`;
		isNamespace = first === "ops";
		if (!isNamespace && !PREFIXES.has(first)) break;
		rest = after;
	}
	return rest.length < word.length ? rest.replace(SUFFIX, "") : rest;
}

/** How well all words fit: the less, the better; nothing when one does not fit. */
export function rankOf({ words, isLoose }: Sought, of: Candidate): number | undefined {
	let sum = 0;
	for (const word of words) {
		const rank = strictRank(word, of) ?? (isLoose ? looseRank(word, of) : undefined);
		if (rank === undefined) return undefined;
		sum += rank;
	}
	return sum;
}

function strictRank(word: Word, of: Candidate): number | undefined {
	const { name, letters, text } = word;
	if (of.name === name || of.bare === name) return 0;
	if (of.base === name || baseOf(of.name) === name) return 1;
	if (letters !== "" && (of.letters === letters || of.baseLetters === letters)) return 2;
	// `Tensor(a!)` is not part of the name `add.Tensor`.
	if (name.length === text.length) {
		if (of.bare.startsWith(name) || of.name.startsWith(name)) return 3;
		const at = of.name.indexOf(name);
		if (at >= 0) return /[_.:]/.test(of.name[at - 1] ?? "") ? 4 : 5;
		if (letters.length >= LEAST_LETTERS && of.letters.includes(letters)) return 6;
	}
	return of.text.includes(text) ? 7 : undefined;
}

function looseRank({ name, text, near }: Word, of: Candidate): number | undefined {
	const at = near.findIndex((other) => [of.name, of.bare, of.base].includes(other));
	if (at >= 0) return LOOSE + at;
	const mayMiss = name.length === text.length && name.length >= LEAST_LETTERS;
	return mayMiss && hasInOrder(of.name, name) ? IN_ORDER : undefined;
}

function hasInOrder(text: string, letters: string): boolean {
	let at = 0;
	for (const letter of letters) {
		at = text.indexOf(letter, at) + 1;
		if (at === 0) return false;
	}
	return true;
}

/** The same words, which fit other spellings too; nothing for a text with many words. */
function loosened(sought: Sought, names: readonly Candidate[]): Sought | undefined {
	if (sought.words.length > MOST_LOOSE_WORDS) return undefined;
	const known = names.flatMap(({ base, bare }) => [base, bare]);
	const words = sought.words.map((word) => {
		const near = nearest(word.name, known, MOST_NEAR);
		return { ...word, near: word.last === undefined ? near : [...near, word.last] };
	});
	return { words, isLoose: true };
}

/** The words in lower case without what C++ and Python write before names. */
export const plain = (text: string) => parseSought(text).words.map((word) => word.text).join(" ");

/** The items that fit a text, best first and of equal ones the shortest name first; all for none. */
export function fitting<T>(text: string, items: readonly T[], of: (item: T) => Candidate): T[] {
	const sought = parseSought(text);
	return sought.words.length === 0 ? [...items] : ranked(sought, items, of);
}

/** The items whose names are spelt like a text, for when none fits it. */
export function alike<T>(text: string, items: readonly T[], of: (item: T) => Candidate): T[] {
	const loose = loosened(parseSought(text), items.map(of));
	return loose ? ranked(loose, items, of) : [];
}

/** The items that fit a text; where none does, those that are spelt alike. */
export function best<T>(text: string, items: readonly T[], of: (item: T) => Candidate): T[] {
	const found = fitting(text, items, of);
	return found.length > 0 ? found : alike(text, items, of);
}

function ranked<T>(sought: Sought, items: readonly T[], of: (item: T) => Candidate): T[] {
	const fitting: { item: T; rank: number; length: number }[] = [];
	for (const item of items) {
		const candidate = of(item);
		const rank = rankOf(sought, candidate);
		if (rank !== undefined) fitting.push({ item, rank, length: candidate.bare.length });
	}
	fitting.sort((a, b) => a.rank - b.rank || a.length - b.length);
	return fitting.map(({ item }) => item);
}
