import { describe, expect, it } from "vitest";
import type { NameItem, Revision } from "../api/queries";
import { atItem, atOf, isNamed, nameOf, titleOf } from "./revisions";

const DIGEST = "0123456789abcdef".repeat(4);
const COMMIT = "c0ffee".repeat(6);

const revision = (label: string | null, ...ids: string[]): Revision =>
	({
		label,
		digest: DIGEST,
		release: "2.9",
		commits: ids.map((id) => ({ id, subject: "", author_date: "" })),
	}) as Partial<Revision> as Revision;

const name = (label: string | null, id?: string): NameItem => ({
	revision: `sha256:${DIGEST}`,
	label,
	date: null,
	commit: id === undefined ? null : { id, subject: "Rename" },
	kind: label === null ? "commit" : "version",
	release: "2.9",
	labels: [],
});

describe("revisions", () => {
	it("are addressed by label, then by their last commit, then by digest", () => {
		expect(nameOf(revision("2.9.0", COMMIT))).toBe("2.9.0");
		expect(nameOf(revision(null, "dead".repeat(10), COMMIT))).toBe("c0ffeec0ffee");
		expect(nameOf(revision(null))).toBe("sha256:0123456789ab");
		expect(titleOf(`sha256:${DIGEST}`)).toBe("sha256:0123456789ab");
	});

	it("keep the name that they were asked for by, and `latest` becomes one", () => {
		const at = (rev: string) => atOf({ project: "p", rev }, revision("2.9.1"));
		expect(at("2.9.0")).toEqual({ project: "p", rev: "2.9.0", digest: DIGEST, release: "2.9" });
		expect(at("latest").rev).toBe("2.9.1");
		expect(atItem("p", name(null, COMMIT)).rev).toBe("c0ffeec0ffee");
	});

	it("are known by label, by the beginning of a commit, and by digest", () => {
		expect(isNamed(name("2.9.0"), "2.9.0")).toBe(true);
		// The neighbour with the same files is another name.
		expect(isNamed(name("2.9.0"), "2.9.1")).toBe(false);
		expect(isNamed(name(null, COMMIT), "c0ffeec")).toBe(true);
		expect(isNamed(name(null, COMMIT), "c0ff")).toBe(false);
		expect(isNamed(name("2.9.0"), "sha256:01234567")).toBe(true);
	});
});
