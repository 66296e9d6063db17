import type { RevisionItem } from "../api/queries";
import { shortDigest } from "./format";

/** The numbers of a label that is a version. */
function version(label: string): number[] | undefined {
	const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?$/.exec(label);
	return match?.slice(1).map((part) => Number(part ?? 0));
}

/** The versions among a revision's labels, highest first, then its other labels. */
export function labelsOf(item: RevisionItem): string[] {
	return item.labels.map((label) => label.name).sort((a, b) => byVersion(b, a));
}

function byVersion(a: string, b: string): number {
	const [left, right] = [version(a), version(b)];
	if (!left || !right) return Number(Boolean(left)) - Number(Boolean(right)) || b.localeCompare(a);
	for (const [at, part] of left.entries()) {
		const order = part - (right[at] ?? 0);
		if (order !== 0) return order;
	}
	return 0;
}

/** What a revision is called: its first label, or the beginning of its digest. */
export function titleOf(item: RevisionItem): string {
	return labelsOf(item)[0] ?? shortDigest(item.digest);
}

/** What addresses a revision in paths: its first label, or its digest. */
export function addressOf(item: RevisionItem): string {
	return labelsOf(item)[0] ?? `sha256:${shortDigest(item.digest)}`;
}

/**
 * Revisions as a timeline, newest first: versions by number, then the others as the store lists
 * them.
 */
export function timeline(items: readonly RevisionItem[]): RevisionItem[] {
	return [...items].sort((a, b) => {
		const [left, right] = [labelsOf(a)[0], labelsOf(b)[0]];
		if (left && right && version(left) && version(right)) return byVersion(right, left);
		return Number(Boolean(right && version(right))) - Number(Boolean(left && version(left)));
	});
}

/** Whether an address names a revision. */
export function isAt(item: RevisionItem, address: string): boolean {
	if (address.startsWith("sha256:")) return item.digest.startsWith(address.slice(7));
	return item.labels.some((label) => label.name === address);
}
