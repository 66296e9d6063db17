/** A piece of a line: plain, code, strong, or a link. */
export interface Run {
	text: string;
	code: boolean;
	strong: boolean;
	href: string | undefined;
}

/** A part of a Markdown text, of the kinds that reports have. */
export type Block =
	| { kind: "heading"; level: number; text: string }
	| { kind: "paragraph"; text: string }
	| { kind: "list"; items: Block[][] }
	| { kind: "code"; text: string }
	| { kind: "table"; head: string[]; rows: string[][] }
	| { kind: "details"; summary: string; blocks: Block[] };

const OPEN = /^<details>(?:<summary>(.*?)<\/summary>)?$/;
const BEGINS = /^(#{1,6} |```|- |\||<details>|<!--)/;

/** The blocks of a Markdown text. Markup that reports do not have stays text, whatever it says. */
export const blocksOf = (text: string): Block[] => read(text.split("\n"));

function read(lines: readonly string[]): Block[] {
	const blocks: Block[] = [];
	let at = 0;
	while (at < lines.length) {
		const { block, next } = blockAt(lines, at);
		if (block) blocks.push(block);
		at = next;
	}
	return blocks;
}

interface Read {
	block: Block | undefined;
	/** The line after it. */
	next: number;
}

function blockAt(lines: readonly string[], at: number): Read {
	const line = (lines[at] ?? "").trimEnd();
	if (line.trim() === "" || /^<!--.*-->$/.test(line)) return { block: undefined, next: at + 1 };
	const [, marks, title] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
	if (marks !== undefined && title !== undefined) {
		return { block: { kind: "heading", level: marks.length, text: title }, next: at + 1 };
	}
	if (line.startsWith("```")) return codeAt(lines, at);
	if (OPEN.test(line)) return detailsAt(lines, at);
	if (line.startsWith("|")) return tableAt(lines, at);
	if (line.startsWith("- ")) return listAt(lines, at);
	return paragraphAt(lines, at);
}

/** The first line from there on that is so, or the end. */
function until(lines: readonly string[], from: number, is: (line: string) => boolean): number {
	const found = lines.findIndex((line, at) => at >= from && is(line));
	return found < 0 ? lines.length : found;
}

function codeAt(lines: readonly string[], at: number): Read {
	const fence = /^`+/.exec(lines[at] ?? "")?.[0] ?? "```";
	const end = until(lines, at + 1, (line) => line.trimEnd() === fence);
	return { block: { kind: "code", text: lines.slice(at + 1, end).join("\n") }, next: end + 1 };
}

function detailsAt(lines: readonly string[], at: number): Read {
	let depth = 0;
	const end = until(lines, at, (line) => {
		const written = line.trim();
		if (written.startsWith("<details>")) depth += 1;
		if (written === "</details>") depth -= 1;
		return depth === 0;
	});
	const summary = OPEN.exec((lines[at] ?? "").trimEnd())?.[1] ?? "";
	return {
		block: { kind: "details", summary, blocks: read(lines.slice(at + 1, end)) },
		next: end + 1,
	};
}

/** The cells of a row; a pipe that belongs to a cell has a backslash before it. */
const cellsOf = (line: string): string[] =>
	line
		.trim()
		.replace(/^\||(?<!\\)\|$/g, "")
		.split(/(?<!\\)\|/)
		.map((cell) => cell.trim().replaceAll("\\|", "|"));

function tableAt(lines: readonly string[], at: number): Read {
	const end = until(lines, at, (line) => !line.startsWith("|"));
	const [head = "", , ...rows] = lines.slice(at, end);
	return { block: { kind: "table", head: cellsOf(head), rows: rows.map(cellsOf) }, next: end };
}

function listAt(lines: readonly string[], at: number): Read {
	const items: Block[][] = [];
	let next = at;
	while ((lines[next] ?? "").startsWith("- ")) {
		const begin = next;
		// What is indented belongs to the item, with the empty lines between.
		next = until(lines, begin + 1, (line) => line.trim() !== "" && !line.startsWith("  "));
		const own = lines.slice(begin, next).map((line) => line.slice(2));
		items.push(read(own));
	}
	return { block: { kind: "list", items }, next };
}

function paragraphAt(lines: readonly string[], at: number): Read {
	const end = until(lines, at + 1, (line) => line.trim() === "" || BEGINS.test(line));
	const text = lines
		.slice(at, end)
		.map((line) => line.trim())
		.join("\n");
	return { block: { kind: "paragraph", text }, next: end };
}

const PIECE =
	/(?<!`)(?<run>`+)(?!`)(?<code>.*?)(?<!`)\k<run>(?!`)|(?<strong>\*\*)|\[(?<label>[^\]]*)\]\((?<href>(?:https?:\/\/|\/)[^\s)]*)\)|\\(?<escaped>[!-/:-@[-`{-~])|&(?<entity>lt|gt|amp|quot);/g;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** The pieces of a line. Links lead to the web or to this server, and nowhere else. */
export function runsOf(text: string): Run[] {
	const runs: Run[] = [];
	let strong = false;
	const add = (text: string, code = false, href?: string) => {
		const last = runs.at(-1);
		const isSame = last && !code && !last.code && !href && !last.href && last.strong === strong;
		if (isSame) last.text += text;
		else if (text !== "") runs.push({ text, code, strong, href });
	};
	let end = 0;
	for (const match of text.matchAll(PIECE)) {
		const { run, code = "", strong: mark, label, href, escaped, entity } = match.groups ?? {};
		add(text.slice(end, match.index));
		end = match.index + match[0].length;
		if (run !== undefined) add(run.length > 1 ? code.slice(1, -1) : code, true);
		else if (mark !== undefined) strong = !strong;
		else if (href !== undefined) add(label || href, false, href);
		else add(escaped ?? ENTITIES[entity ?? ""] ?? "");
	}
	add(text.slice(end));
	return runs;
}
