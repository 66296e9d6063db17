import { expect, it } from "vitest";
import { perCent, percent } from "./format";

it("rounds shares down, and says 100 only where nothing is missing", () => {
	expect(percent(2261, 2590)).toBe("87.2 %");
	expect(percent(2589, 2590)).toBe("99.9 %");
	expect(percent(2590, 2590)).toBe("100 %");
	expect(percent(0, 0)).toBe("–");
	expect(perCent((2261 / 2590) * 100)).toBe("87.2 %");
	// 57.3 is 0.573 * 100, which a computer makes 57.29999….
	expect(percent(573, 1000)).toBe("57.3 %");
});
