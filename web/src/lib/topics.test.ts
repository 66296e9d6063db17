import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	follow,
	type Guide,
	soughtTopics,
	type TopicItem,
	topicOfAnnotation,
	topicOfType,
} from "./topics.ts";

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
		assert.deepEqual(soughtTopics(all, {}).length, 2);
		assert.deepEqual(soughtTopics(all, { q: "math" }).map(({ id }) => id), [
			"CompositeImplicitAutograd",
		]);
		assert.deepEqual(soughtTopics(all, { kind: "field", q: "what" }).map(({ id }) => id), ["dispatch"]);
		assert.deepEqual(soughtTopics(all, { q: "nothing" }), []);
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
			assert.equal(topicOfType(written), expected, written);
		}
		assert.equal(topicOfAnnotation("a"), "alias-annotation");
		assert.equal(topicOfAnnotation("a!"), "write-annotation");
		assert.equal(topicOfAnnotation("a -> *"), "wildcard-annotation");
		assert.equal(topicOfAnnotation("a! -> a|b"), "alias-sets");
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
		assert.equal(follow(guide, undefined).question?.id, "a");
		assert.equal(follow(guide, "0").question?.id, "b");
		assert.equal(follow(guide, "0.1").outcome?.id, "end");
		assert.equal(follow(guide, "1").outcome?.id, "end");
		assert.deepEqual(follow(guide, "0.1").passed.map(({ answer }) => answer), [0, 1]);
	});

	it("stops at answers that make no sense", () => {
		assert.equal(follow(guide, "7").question?.id, "a");
		assert.equal(follow(guide, "0.x").question?.id, "b");
	});
});
