import { describe, expect, it } from "vitest";
import {
	follow,
	type Guide,
	soughtTopics,
	type TopicItem,
	topicAt,
	topicOfAnnotation,
	topicOfType,
} from "./topics";

const topic = (id: string, kind: TopicItem["kind"], names: string[] = []): TopicItem => ({
	id,
	kind,
	names,
	summary: `What ${id} is.`,
	since: "2.0",
	until: null,
});

describe("topics", () => {
	it("are found by name, other names and kind", () => {
		const all = [topic("dispatch", "field"), topic("CompositeImplicitAutograd", "alias-key", ["Math"])];
		expect(soughtTopics(all, {}).length).toEqual(2);
		expect(soughtTopics(all, { q: "math" }).map(({ id }) => id)).toEqual([
			"CompositeImplicitAutograd",
		]);
		expect(soughtTopics(all, { kind: "field", q: "what" }).map(({ id }) => id)).toEqual(["dispatch"]);
		expect(soughtTopics(all, { q: "nothing" })).toEqual([]);
	});

	it("explain types and annotations as written", () => {
		for (const [written, expected] of [
			["Tensor", "Tensor"],
			["Tensor(a!)", "Tensor"],
			["Tensor?", "optional"],
			["Tensor(a)[]", "list"],
			["int[2]", "list"],
			["bool[3]", "bool-list"],
			["__torch__.torch.classes.a.B", "custom-class"],
		] as const) {
			expect(topicOfType(written), written).toBe(expected);
		}
		expect(topicOfAnnotation("a")).toBe("alias-annotation");
		expect(topicOfAnnotation("a!")).toBe("write-annotation");
		expect(topicOfAnnotation("a -> *")).toBe("wildcard-annotation");
		expect(topicOfAnnotation("a! -> a|b")).toBe("alias-sets");
	});
});

describe("what is pointed at in YAML", () => {
	const all = [
		topic("dispatch", "field"),
		topic("CPU", "dispatch-key"),
		topic("Tensor", "type"),
		topic("int", "type"),
		topic("write-annotation", "annotation"),
		topic("returns", "guide"),
	];
	const at = (line: string, part: string) => {
		const found = topicAt(line, line.indexOf(part), all);
		return found && [found.topic.id, line.slice(found.from, found.to)];
	};

	it("is a field, a key, a type or an annotation", () => {
		expect(at("  dispatch:", "dispatch")).toEqual(["dispatch", "dispatch"]);
		expect(at("    CPU, CUDA: kernel", "CPU")).toEqual(["CPU", "CPU"]);
		const schema = "- func: blend_(Tensor(a!) self, int dim) -> Tensor(a!)";
		expect(at(schema, "Tensor")).toEqual(["Tensor", "Tensor"]);
		expect(at(schema, "(a!)")).toEqual(["write-annotation", "(a!)"]);
		expect(at(schema, "int")).toEqual(["int", "int"]);
	});

	it("is nothing elsewhere", () => {
		expect(at("- func: dispatch(Tensor self) -> Tensor", "dispatch")).toBe(undefined);
		expect(at("- func: returns(Tensor self) -> Tensor", "returns")).toBe(undefined);
		expect(at("    CUDA: kernel", "kernel")).toBe(undefined);
	});
});

describe("a guide", () => {
	const answer = (question: string | null, outcome: string | null) => ({ text: "x", question, outcome });
	const guide: Guide = {
		questions: [
			{ id: "a", text: "A?", help: "", answers: [answer("b", null), answer(null, "end")] },
			{ id: "b", text: "B?", help: "", answers: [answer(null, "end"), answer(null, "end")] },
		],
		outcomes: [{ id: "end", title: "End", text: "", yaml: "", table: [] }],
	};

	it("begins with the first question and goes where answers lead", () => {
		expect(follow(guide, undefined).question?.id).toBe("a");
		expect(follow(guide, "0").question?.id).toBe("b");
		expect(follow(guide, "0.1").outcome?.id).toBe("end");
		expect(follow(guide, "1").outcome?.id).toBe("end");
		expect(follow(guide, "0.1").passed.map(({ answer }) => answer)).toEqual([0, 1]);
	});

	it("stops at answers that make no sense", () => {
		expect(follow(guide, "7").question?.id).toBe("a");
		expect(follow(guide, "0.x").question?.id).toBe("b");
	});
});
