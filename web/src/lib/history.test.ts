import { describe, expect, it } from "vitest";
import {
	byKey,
	type HistoryRange,
	placeAddress,
	placeTitle,
	steps,
	type TimelinePlace,
} from "./history";

const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
const at = (label: string | null, revision = DIGEST): TimelinePlace => ({
	revision,
	label,
	date: null,
	commit: null,
});

describe("places", () => {
	it("are called by label, then commit, then digest", () => {
		expect(placeTitle(at("2.4.0"))).toBe("2.4.0");
		const commit = { id: "c0ffee".repeat(6), subject: "Rename" };
		expect(placeTitle({ ...at(null), commit })).toBe("c0ffeec0ffee");
		expect(placeTitle(at(null))).toBe("0123456789ab");
	});

	it("are addressed by label, else by commit, else by the whole digest", () => {
		expect(placeAddress(at("2.4.0"))).toBe("2.4.0");
		const commit = { id: "c0ffee".repeat(6), subject: "Rename" };
		expect(placeAddress({ ...at(null), commit })).toBe("c0ffeec0ffee");
		expect(placeAddress(at(null))).toBe(DIGEST);
	});
});

describe("steps", () => {
	it("gather what happened at one place, and keep labels of one revision apart", () => {
		const events = [at("2.4.0"), at("2.4.0"), at("2.4.1"), at("2.5.0", "sha256:ff")];
		const lengths = steps(events).map(({ place, events }) => [place.label, events.length]);
		expect(lengths).toEqual([
			["2.4.0", 2],
			["2.4.1", 1],
			["2.5.0", 1],
		]);
		expect(steps([])).toEqual([]);
	});
});

describe("byKey", () => {
	it("leaves presence out, and keeps the order of keys and stretches", () => {
		const range = (key: string | null, from: string): HistoryRange => ({
			key,
			from: at(from),
			to: at(from),
			supported: true,
			reason: "kernel",
			verdict: "runs",
			works: "yes",
			because: null,
			settled_by: null,
			source_key: key,
			kernel: null,
		});
		const found = byKey([range(null, "1"), range("MPS", "1"), range("CPU", "1"), range("MPS", "2")]);
		const told = found.map(([key, of]) => [key, of.map(({ from }) => from.label)]);
		expect(told).toEqual([
			["MPS", ["1", "2"]],
			["CPU", ["1"]],
		]);
	});
});
