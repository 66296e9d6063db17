import { describe, expect, it } from "vitest";
import { pairOf } from "./pairs";

const KEYS = ["CPU", "CUDA", "HIP", "MPS", "XPU"];

describe("pairs", () => {
	it("has the key before or after the name", () => {
		for (const text of ["MPS grid_sampler", "grid_sampler on mps", "does grid_sampler run on MPS?"]) {
			expect(pairOf(text, KEYS)).toEqual({ key: "MPS", rest: "grid_sampler" });
		}
		expect(pairOf("softmax cuda", KEYS)).toEqual({ key: "CUDA", rest: "softmax" });
	});

	it("knows backends by other names", () => {
		expect(pairOf("rocm add.Tensor", KEYS)).toEqual({ key: "HIP", rest: "add.Tensor" });
	});

	it("needs both", () => {
		for (const text of ["mps", "grid_sampler", "", "what runs on mps"]) {
			expect(pairOf(text, KEYS)).toBeUndefined();
		}
	});
});
