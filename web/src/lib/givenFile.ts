import { packed, unpacked } from "./fragment";

/** A file that is given in a page, and not stored. */
export interface GivenFile {
	/** Its name without the extension; empty where nobody gave it one. */
	name: string;
	text: string;
}

/** How long a file in an address may be, deflated, in bytes. */
export const MOST = 32 << 10;

const FILE = "file=";

/** A file as a fragment, or how many bytes it has where that is too much for one. */
export async function toFile(file: GivenFile): Promise<string | { bytes: number }> {
	const { written, bytes } = await packed(writtenFile(file));
	return bytes > MOST ? { bytes } : FILE + written;
}

/** Whether a fragment claims to hold a file. */
export const holdsFile = (fragment: string): boolean =>
	fragment.replace(/^#/, "").startsWith(FILE);

/** The file of a fragment; `undefined` where it holds none, or a broken one. */
export async function fromFile(fragment: string): Promise<GivenFile | undefined> {
	if (!holdsFile(fragment)) return undefined;
	const json = await unpacked(fragment.replace(/^#/, "").slice(FILE.length));
	return json === undefined ? undefined : readFile(json);
}

/** A file as one text. */
export const writtenFile = ({ name, text }: GivenFile): string => JSON.stringify([name, text]);

/** The file that was written so; `undefined` where it is broken. */
export function readFile(json: string): GivenFile | undefined {
	try {
		const read: unknown = JSON.parse(json);
		if (!Array.isArray(read) || read.length !== 2) return undefined;
		const [name, text]: unknown[] = read;
		return typeof name === "string" && typeof text === "string" ? { name, text } : undefined;
	} catch {
		return undefined;
	}
}
