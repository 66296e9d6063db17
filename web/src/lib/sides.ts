import { packed, unpacked } from "./fragment";

/** Two texts that are compared. */
export interface Sides {
	base: string;
	head: string;
}

/** How long two texts in an address may be, deflated, in bytes. */
export const MOST = 32 << 10;

const SIDES = "sides=";
const MARK = "change=";

/** Two texts as a fragment, or how many bytes they come to where that is too much for one. */
export async function toSides({ base, head }: Sides): Promise<string | { bytes: number }> {
	const { written, bytes } = await packed(JSON.stringify([base, head]));
	return bytes > MOST ? { bytes } : SIDES + written;
}

/** The part of a fragment that holds two texts; empty where none does. */
export const sidesIn = (fragment: string): string =>
	fragment
		.replace(/^#/, "")
		.split("&")
		.find((part) => part.startsWith(SIDES)) ?? "";

/** The two texts of such a part; `undefined` where it is broken. */
export async function fromSides(part: string): Promise<Sides | undefined> {
	const text = part.startsWith(SIDES) ? await unpacked(part.slice(SIDES.length)) : undefined;
	if (text === undefined) return undefined;
	try {
		const read: unknown = JSON.parse(text);
		if (!Array.isArray(read) || read.length !== 2) return undefined;
		const [base, head]: unknown[] = read;
		return typeof base === "string" && typeof head === "string" ? { base, head } : undefined;
	} catch {
		return undefined;
	}
}

/** The change that a fragment marks, whether or not it holds texts as well; empty where none. */
export function markIn(fragment: string): string {
	const written = fragment.replace(/^#/, "");
	if (sidesIn(written) === "") return written;
	const part = written.split("&").find((part) => part.startsWith(MARK));
	return part?.slice(MARK.length) ?? "";
}

/** The fragment that marks a change, and keeps the texts that the one before held. */
export function withMark(fragment: string, mark: string): string {
	const sides = sidesIn(fragment);
	return sides === "" ? mark : `${sides}&${MARK}${mark}`;
}
