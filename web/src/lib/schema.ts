/** A piece of a schema's text. */
export type Token =
	| { kind: "name" | "type" | "argument" | "default" | "punctuation"; text: string }
	| { kind: "alias"; text: string; sets: string[]; write: boolean };

const ALIAS = /^\(([a-zA-Z*|]+)(!?)(?: -> [a-zA-Z*|]+)?\)/;
const WORD = /^[A-Za-z_][\w.]*/;
const TYPE_SUFFIX = /^(?:\[\d*\]|\?)+/;
const VALUE = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\[[^\]]*\]|[^,)\s]+)/;

/**
 * Cuts canonical schema text into its pieces. It colours and does not judge: what it does not
 * understand stays as punctuation, and the pieces always make up the whole text.
 */
export function tokenize(schema: string): Token[] {
	const tokens: Token[] = [];
	const name = /^[^(]*/.exec(schema)?.[0] ?? "";
	if (name) tokens.push({ kind: "name", text: name });
	let rest = schema.slice(name.length);
	let expectsType = true;
	const take = (kind: Exclude<Token["kind"], "alias">, text: string) => {
		const last = tokens.at(-1);
		if (kind === "punctuation" && last?.kind === kind) last.text += text;
		else tokens.push({ kind, text });
		rest = rest.slice(text.length);
	};
	while (rest) {
		const before = tokens.at(-1);
		const alias = before?.kind === "type" ? ALIAS.exec(rest) : null;
		if (alias) {
			const sets = (alias[1] ?? "").split("|");
			tokens.push({ kind: "alias", text: alias[0], sets, write: alias[2] === "!" });
			rest = rest.slice(alias[0].length);
			const suffix = TYPE_SUFFIX.exec(rest);
			if (suffix) take("type", suffix[0]);
			continue;
		}
		const word = WORD.exec(rest)?.[0];
		if (word && expectsType) {
			take("type", word);
			const suffix = TYPE_SUFFIX.exec(rest);
			if (suffix) take("type", suffix[0]);
			expectsType = false;
			continue;
		}
		if (word) {
			take("argument", word);
			if (rest.startsWith("=")) {
				take("punctuation", "=");
				const value = VALUE.exec(rest)?.[0];
				if (value) take("default", value);
			}
			continue;
		}
		const next = rest[0] ?? "";
		if (next === "," || next === "(" || next === ">") expectsType = true;
		take("punctuation", next);
	}
	return tokens;
}

/** The colour slot of each alias set, in order of appearance. */
export function aliasSlots(tokens: readonly Token[]): Map<string, number> {
	const slots = new Map<string, number>();
	for (const token of tokens) {
		if (token.kind !== "alias") continue;
		for (const set of token.sets) if (!slots.has(set)) slots.set(set, slots.size % 5);
	}
	return slots;
}
