import { describe, expect, it } from "vitest";
import { boundIn, offeredKeys } from "./signatures";

const bound = { torch: false, Tensor: false, module: null, overload: false };

describe("boundIn", () => {
	it("names every place", () => {
		const both = { ...bound, torch: true, Tensor: true, overload: true };
		expect(boundIn({ name: "add.Tensor", bound: both })).toBe(
			"Python calls it as torch.add and Tensor.add.",
		);
		const module = { ...bound, module: "_nn", overload: true };
		expect(boundIn({ name: "gelu", bound: module })).toBe("Python calls it as torch._C._nn.gelu.");
	});

	it("points to torch.ops where Python cannot reach the overload", () => {
		expect(boundIn({ name: "tanh_backward", bound })).toMatch(/torch\.ops\.aten\.tanh_backward\.default/);
		const other = { ...bound, torch: true };
		expect(boundIn({ name: "add.Scalar", bound: other })).toMatch(/torch\.ops\.aten\.add\.Scalar/);
	});
});

it("offers the key for backends outside the tree once", () => {
	expect(offeredKeys(["CPU", "PrivateUse1"])).toEqual(["CPU", "PrivateUse1"]);
	expect(offeredKeys([])).toEqual(["PrivateUse1"]);
});
