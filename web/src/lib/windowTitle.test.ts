import { expect, it } from "vitest";
import { windowTitle } from "./windowTitle";

it("names the view, then the project and revision that it does not name itself", () => {
	expect(windowTitle("add.Tensor", "pytorch", "2.9.0")).toBe("add.Tensor · pytorch 2.9.0 · Opatlas");
	expect(windowTitle("pytorch 2.9.0", "pytorch", "2.9.0")).toBe("pytorch 2.9.0 · Opatlas");
	expect(windowTitle("Trends of pytorch", "pytorch")).toBe("Trends of pytorch · Opatlas");
	expect(windowTitle("Rules")).toBe("Rules · Opatlas");
	expect(windowTitle("Opatlas")).toBe("Opatlas");
});
