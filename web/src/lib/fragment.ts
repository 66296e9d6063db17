/** The name before the text in a fragment. */
const NAME = "text=";

/** The longest fragment that is kept: addresses of more are cut by what passes them on. */
export const LONGEST = 120_000;

/** The longest text that comes out of an address, in bytes: a short one may stand for very much. */
const MOST_UNPACKED = 8 << 20;

/** What comes out of a stream; rejects where that is more than so many bytes. */
async function through(
	bytes: Uint8Array<ArrayBuffer>,
	transform: CompressionStream | DecompressionStream,
	most: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
	const parts: Uint8Array<ArrayBuffer>[] = [];
	let length = 0;
	for (;;) {
		const { done, value } = await reader.read();
		if (done) break;
		length += value.length;
		if (length > most) {
			await reader.cancel();
			throw new RangeError("too long");
		}
		parts.push(value);
	}
	return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** A text deflated, in the alphabet that addresses have; with how many bytes that were. */
export async function packed(text: string): Promise<{ written: string; bytes: number }> {
	const plain = new TextEncoder().encode(text);
	const bytes = await through(plain, new CompressionStream("deflate-raw"), Number.MAX_SAFE_INTEGER);
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	const written = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
	return { written, bytes: bytes.length };
}

/** What was packed; `undefined` where it is broken, or far too long. */
export async function unpacked(written: string): Promise<string | undefined> {
	try {
		const binary = atob(written.replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
		const text = await through(bytes, new DecompressionStream("deflate-raw"), MOST_UNPACKED);
		return new TextDecoder("utf-8", { fatal: true }).decode(text);
	} catch {
		return undefined;
	}
}

/** A text as a fragment. */
export async function toFragment(text: string): Promise<string> {
	return text === "" ? "" : NAME + (await packed(text)).written;
}

/** The text of a fragment; `undefined` where it holds none, or a broken one. */
export async function fromFragment(fragment: string): Promise<string | undefined> {
	const written = fragment.replace(/^#/, "");
	return written.startsWith(NAME) ? unpacked(written.slice(NAME.length)) : undefined;
}
