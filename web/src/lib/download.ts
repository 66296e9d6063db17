import { raw } from "../api/client";
import { errorOf } from "../api/problem";

/** Fetches an answer in a media type and hands it to the browser as a file. */
export async function download(path: string, media: string, name: string): Promise<void> {
	const response = await raw(path, { headers: { accept: media } });
	if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
	save(await response.blob(), name);
}

/** Hands what is here to the browser as a file. */
export function save(content: Blob, name: string): void {
	const url = URL.createObjectURL(content);
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	URL.revokeObjectURL(url);
}
