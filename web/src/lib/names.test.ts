import { describe, expect, it } from "vitest";
import type { Operator } from "../api/queries";
import type { HistoryEvent, HistoryRange, TimelinePlace } from "./history";
import { familyOf, kindsOf, mainOf, mergeHistories, stretches } from "./names";

const place = (label: string): TimelinePlace => ({
	revision: `sha256:${label}`,
	label,
	date: null,
	commit: null,
});
const ORDER = ["1", "2", "3", "4", "5"].map(place);

describe("names", () => {
	it("belong to the family of the functional form", () => {
		expect(familyOf("add_.Tensor")).toBe("add");
		expect(familyOf("aten::add.out")).toBe("add");
		expect(familyOf("relu_")).toBe("relu");
		expect(familyOf("__and__.Tensor")).toBe("__and__");
	});

	it("are counted by kind and stand for each other", () => {
		const of = (name: string, kind: string, generated = false) =>
			({ name, kind, generated }) as Operator;
		const all = [of("f.out", "out", true), of("f_", "inplace"), of("f", "functional")];
		expect(kindsOf(all)).toBe("1 generated, 1 inplace, 1 functional");
		expect(mainOf(all)?.name).toBe("f");
		expect(mainOf([])).toBeUndefined();
	});

	it("have one history, in the order of the timeline", () => {
		const event = (label: string, message: string) =>
			({ ...place(label), message }) as HistoryEvent;
		const merged = mergeHistories(
			[
				{ operator: "a", events: [event("2", "x"), event("4", "y")] },
				{ operator: "b", events: [event("1", "z"), event("4", "w")] },
			],
			ORDER,
		);
		expect(merged.map(({ place, events }) => [place.label, events.length])).toEqual([
			["1", 1],
			["2", 1],
			["4", 2],
		]);
	});
});

describe("stretches", () => {
	const range = (from: string, to: string, verdict: string) =>
		({ key: "CPU", from: place(from), to: place(to), verdict }) as HistoryRange;
	const told = (ranges: HistoryRange[]) =>
		stretches(ORDER, ranges).map(({ from, to, length, range }) => [
			`${from.label}-${to.label}`,
			length,
			range?.verdict,
		]);

	it("cover the timeline, with what lies between", () => {
		expect(told([range("4", "4", "runs"), range("2", "2", "fails")])).toEqual([
			["1-1", 1, undefined],
			["2-2", 1, "fails"],
			["3-3", 1, undefined],
			["4-4", 1, "runs"],
			["5-5", 1, undefined],
		]);
		expect(told([range("1", "5", "runs")])).toEqual([["1-5", 5, "runs"]]);
		expect(told([])).toEqual([["1-5", 5, undefined]]);
	});
});
