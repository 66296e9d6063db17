import { expect, it } from "vitest";
import { sortingOf, sortOf } from "./sorting";

const COLUMNS = [{ id: "name" }, { id: "fail" }];

it("comes back from the address", () => {
	for (const sort of ["name", "-fail", undefined]) {
		expect(sortOf(sortingOf(sort, COLUMNS))).toBe(sort);
	}
	expect(sortingOf("-fail", COLUMNS)).toEqual([{ id: "fail", desc: true }]);
});

it("leaves columns aside that are not there", () => {
	for (const sort of ["", "-", "--fail", "other"]) {
		expect(sortingOf(sort, COLUMNS)).toEqual([]);
	}
});
