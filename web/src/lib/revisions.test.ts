import { describe, expect, it } from "vitest";
import type { RevisionItem } from "../api/queries";
import { addressOf, isAt, timeline, titleOf } from "./revisions";

const item = (digest: string, ...labels: string[]): RevisionItem => ({
	project: "p",
	digest,
	address: `sha256:${digest}`,
	ingested_at: "2026-01-01T00:00:00Z",
	files: [],
	commits: [],
	labels: labels.map((name) => ({
		name,
		revision: `sha256:${digest}`,
		release: null,
		moved_at: "2026-01-01T00:00:00Z",
		sequence: 1,
	})),
});

describe("revisions", () => {
	it("orders versions by number, newest first, then the others as listed", () => {
		const items = [
			item("a", "2.9.1"),
			item("b"),
			item("c", "2.10.0"),
			item("d", "main"),
			item("e", "2.9.0"),
		];
		expect(timeline(items).map(titleOf)).toEqual(["2.10.0", "2.9.1", "2.9.0", "b", "main"]);
	});

	it("are called by their highest version", () => {
		expect(titleOf(item("abc", "main", "2.9.0", "2.10.0"))).toBe("2.10.0");
		expect(addressOf(item("0123456789abcdef"))).toBe("sha256:0123456789ab");
	});

	it("are found by label and by digest", () => {
		const found = item("0123456789abcdef", "main");
		expect(isAt(found, "main")).toBe(true);
		expect(isAt(found, "sha256:01234567")).toBe(true);
		expect(isAt(found, "sha256:11234567")).toBe(false);
		expect(isAt(found, "2.9.0")).toBe(false);
	});
});
