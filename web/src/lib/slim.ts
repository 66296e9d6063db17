/** The largest request that the server takes, in bytes. */
export const MOST_SENT = 16 << 20;

/** How many entries of an archive are looked at. */
const MOST_ENTRIES = 10_000;

/** What an archive of a model says about its operators; the rest are weights and pickles. */
const TELLS = /(^|\/)(serialized_exported_program\.json|archive_format|version|models\/[^/]+\.json|code\/.+\.py)$/;

/** Whether bytes begin as a ZIP archive does. */
const isArchive = async (file: Blob): Promise<boolean> => {
	const [p, k] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
	return p === 0x50 && k === 0x4b;
};

/**
 * What is sent of a model: a small file as it is, and of a large archive the entries that name its
 * operators. Weights never leave the browser, and an archive is not unpacked here.
 */
export async function slim(file: Blob): Promise<Blob> {
	if (file.size <= MOST_SENT || !(await isArchive(file))) return file;
	const zip = await import("@zip.js/zip.js/lib/zip-core-native.js");
	zip.configure({ useWebWorkers: false });
	const reader = new zip.ZipReader(new zip.BlobReader(file));
	const writer = new zip.ZipWriter(new zip.BlobWriter("application/zip"));
	let left = MOST_SENT;
	let seen = 0;
	for await (const entry of reader.getEntriesGenerator()) {
		seen += 1;
		if (seen > MOST_ENTRIES) throw new Error(`The archive has more than ${MOST_ENTRIES} entries.`);
		if (entry.directory || !TELLS.test(entry.filename)) continue;
		left -= entry.compressedSize;
		if (left < 0) throw new Error("The graph in this archive is too large to send.");
		const bytes = await entry.getData(new zip.Uint8ArrayWriter(), { passThrough: true });
		await writer.add(entry.filename, new zip.Uint8ArrayReader(bytes), {
			passThrough: true,
			compressionMethod: entry.compressionMethod,
			uncompressedSize: entry.uncompressedSize,
			signature: entry.signature,
		});
	}
	await reader.close();
	return writer.close();
}
