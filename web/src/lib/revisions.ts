import type { At, NameItem, Place, Revision } from "../api/queries";
import { placeAddress } from "./history";

/** How many digits of a commit's id or of a digest stand for it. */
const SHORT = 12;

/** The digest in an address that is one, `sha256:HEX`. */
export const digestIn = (address: string): string => address.replace(/^sha256:/, "");

/** What addresses a revision in paths: its label, else its last commit, else its digest. */
export function nameOf({ label, commits, digest }: Revision): string {
	return label ?? commits.at(-1)?.id.slice(0, SHORT) ?? `sha256:${digest.slice(0, SHORT)}`;
}

/** A place whose name means this revision; `latest` becomes what it stands for. */
export function atOf(place: Place, revision: Revision): At {
	const rev = place.rev === "latest" ? nameOf(revision) : place.rev;
	const { digest, release } = revision;
	return { project: place.project, rev, digest, release };
}

/** The place of a name. */
export function atItem(project: string, item: NameItem): At {
	const { revision, release } = item;
	return { project, rev: placeAddress(item), digest: digestIn(revision), release };
}

/** What people call an address: a digest is cut short. */
export const titleOf = (address: string): string =>
	address.startsWith("sha256:") ? address.slice(0, "sha256:".length + SHORT) : address;

/** Whether an address may be one of this name. */
export function isNamed(item: NameItem, address: string): boolean {
	if (address.startsWith("sha256:")) return item.revision.startsWith(address);
	if (item.label != null) return item.label === address;
	return address.length >= 7 && (item.commit?.id.startsWith(address) ?? false);
}
