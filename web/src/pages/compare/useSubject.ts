import { useQuery } from "@tanstack/react-query";
import { revisionQuery } from "../../api/queries";

/** The longest subject in a heading, in letters. */
const LONGEST = 60;

/** An address that is a commit or a digest. */
const isHash = (address: string): boolean => /^(sha256:)?[0-9a-f]{7,}$/.test(address);

/** The subject of a commit, for an address that is only a hash; nothing where none is known. */
export function useSubject(project: string | null, address: string): string | undefined {
	const query = useQuery({
		...revisionQuery({ project: project ?? "", rev: address }),
		enabled: project !== null && isHash(address),
	});
	const subject = isHash(address) ? query.data?.commits.at(-1)?.subject : undefined;
	return subject !== undefined && subject.length > LONGEST
		? `${subject.slice(0, LONGEST - 1)}…`
		: subject;
}
