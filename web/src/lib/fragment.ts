/** The name before the text in a fragment. */
const NAME = "text=";

/** The longest fragment that is kept: addresses of more are cut by what passes them on. */
export const LONGEST = 120_000;

async function through(
	bytes: Uint8Array<ArrayBuffer>,
	transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
	const stream = new Blob([bytes]).stream().pipeThrough(transform);
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A text as a fragment: deflated, in the alphabet that addresses have. */
export async function toFragment(text: string): Promise<string> {
	if (text === "") return "";
	const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	const written = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
	return NAME + written;
}

/** The text of a fragment; `undefined` where it holds none, or a broken one. */
export async function fromFragment(fragment: string): Promise<string | undefined> {
	const written = fragment.replace(/^#/, "");
	if (!written.startsWith(NAME)) return undefined;
	try {
		const binary = atob(written.slice(NAME.length).replaceAll("-", "+").replaceAll("_", "/"));
		const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
		const text = await through(bytes, new DecompressionStream("deflate-raw"));
		return new TextDecoder("utf-8", { fatal: true }).decode(text);
	} catch {
		return undefined;
	}
}
