/** A part of a line of YAML, by what it is. */
export interface Part {
	kind: "text" | "key" | "comment" | "operator";
	text: string;
}

/** The fields whose values are names of operators, or a schema that begins with one. */
const NAMING = new Set(["func", "structured_delegate", "autogen"]);
const NAME = /(?:[A-Za-z_]\w*::)?[A-Za-z_]\w*(?:\.\w+)?/;

type IsOperator = (name: string) => boolean;

/**
 * The parts of a line of YAML, which together are the line. Operators are known by their field; an
 * item of a plain list is one where `isOperator` says so.
 */
export function yamlParts(line: string, isOperator: IsOperator): Part[] {
	const at = commentAt(line);
	const parts = codeParts(line.slice(0, at), isOperator);
	if (at < line.length) parts.push({ kind: "comment", text: line.slice(at) });
	return parts.filter(({ text }) => text !== "");
}

/** Where the comment of a line begins; its length where it has none. Quotes are looked at. */
function commentAt(line: string): number {
	let quote = "";
	for (const [at, letter] of [...line].entries()) {
		if (quote !== "") quote = letter === quote ? "" : quote;
		else if ((letter === '"' || letter === "'") && /[\s[{,:(-]/.test(line[at - 1] ?? " ")) quote = letter;
		else if (letter === "#" && /^\s?$/.test(line[at - 1] ?? "")) return at;
	}
	return line.length;
}

function codeParts(code: string, isOperator: IsOperator): Part[] {
	const field = /^([\s-]*)([A-Za-z_][\w, ]*)(:(?=\s|$))/.exec(code);
	if (field) {
		const [whole, indent = "", key = "", colon = ""] = field;
		const value = code.slice(whole.length);
		return [
			{ kind: "text", text: indent },
			{ kind: "key", text: key },
			{ kind: "text", text: colon },
			...(NAMING.has(key) ? named(value, key === "autogen") : [{ kind: "text", text: value } as const]),
		];
	}
	const item = /^(\s*-\s+)(\S+)(\s*)$/.exec(code);
	if (item?.[2] !== undefined && isOperator(item[2])) {
		return [
			{ kind: "text", text: item[1] ?? "" },
			{ kind: "operator", text: item[2] },
			{ kind: "text", text: item[3] ?? "" },
		];
	}
	return [{ kind: "text", text: code }];
}

/** A value that begins with the name of an operator, or lists several between commas. */
function named(value: string, isList: boolean): Part[] {
	const parts: Part[] = [];
	let rest = value;
	for (;;) {
		const found = NAME.exec(rest);
		if (!found) break;
		parts.push({ kind: "text", text: rest.slice(0, found.index) });
		parts.push({ kind: "operator", text: found[0] });
		rest = rest.slice(found.index + found[0].length);
		if (!isList) break;
	}
	parts.push({ kind: "text", text: rest });
	return parts;
}
