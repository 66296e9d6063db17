import { describe, expect, it } from "vitest";
import { completionAt } from "./completion";
import type { TopicItem } from "./topics";

const topic = (kind: string, id: string) =>
	({ id, kind, summary: `What \`${id}\` means.`, names: [id], since: null, until: null }) as never as TopicItem;
const TOPICS = [
	topic("field", "func"),
	topic("field", "variants"),
	topic("type", "Tensor"),
	topic("type", "optional"),
	topic("alias-key", "CompositeImplicitAutograd"),
	topic("dispatch-key", "CUDA"),
];
const ENTRY = ["- func: f(Tensor self) -> Tensor", "  dispatch:"];

const at = (before: string, above: string[] = []) => {
	const found = completionAt(before, above, TOPICS);
	return found && [found.column, ...found.choices.map(({ label }) => label)];
};

describe("completionAt", () => {
	it("offers fields where a field begins", () => {
		expect(at("- fu")).toEqual([2, "func", "variants"]);
		expect(at("  va", [ENTRY[0] ?? ""])).toEqual([2, "func", "variants"]);
		expect(completionAt("  va", [], TOPICS)?.choices[1]).toEqual({
			label: "variants",
			apply: "variants: ",
			info: "What variants means.",
			kind: "field",
		});
	});

	it("offers keys in a dispatch table, also behind a comma", () => {
		expect(at("    CU", ENTRY)).toEqual([4, "CompositeImplicitAutograd", "CUDA"]);
		expect(at("    CPU, ", [...ENTRY, "    # why", "    MPS: f_mps"])?.[0]).toBe(9);
		expect(at("  ", [...ENTRY, "    CPU: f_cpu"])).toEqual([2, "func", "variants"]);
	});

	it("offers types in a schema", () => {
		expect(at("- func: f(Ten")).toEqual([10, "Tensor"]);
		expect(at("- func: f(Tensor self, ")).toEqual([23, "Tensor"]);
		expect(at("- func: f(Tensor self) -> ")?.[0]).toBe(26);
	});

	it("offers the values of fields that have few, and nothing where a value is free", () => {
		expect(at("  variants: fu")).toEqual([12, "function", "method", "function, method"]);
		expect(at("  python_module: n")).toBeUndefined();
		expect(at("    CPU: f_c", ENTRY)).toBeUndefined();
		expect(at("- func: na")).toBeUndefined();
		expect(at("wo")).toBeUndefined();
	});
});
