import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../api/queries";
import { inOrder } from "../../lib/positions";
import { apart, foundField, setFound } from "./found";

const finding = (line: number, column: number, end: number, replacement?: string): Finding => {
	const span = { line, column, end_line: line, end_column: end };
	return {
		rule: "dispatch-key-known",
		severity: "error",
		message: "",
		file: "native_functions.yaml",
		span,
		operator: null,
		help: null,
		related: [],
		fix: replacement === undefined ? null : { span, replacement, applicability: "safe" },
		suppressed: false,
	};
};

function editor(text: string, findings: Finding[]) {
	const state = EditorState.create({ doc: text, extensions: [foundField] });
	return state.update({ effects: setFound.of(findings) }).state;
}

const marked = (state: EditorState) =>
	state.field(foundField).map(({ from, to }) => state.sliceDoc(from, to));

describe("findings in the editor", () => {
	it("stand in the order of the text, also behind letters of two units", () => {
		const state = editor("# 𝒳𝒳 Foo Bar", inOrder([finding(1, 10, 13), finding(1, 6, 9)]));
		expect(marked(state)).toEqual(["Foo", "Bar"]);
	});

	it("give the fixes that do not touch one another", () => {
		const findings = [finding(1, 6, 11, "CUDA"), finding(1, 1, 4, "XPU"), finding(1, 8, 12, "x")];
		const state = editor("CPU, CUDAA: x", inOrder(findings));
		const fixes = apart(state.field(foundField));
		expect(fixes.map(({ replacement }) => replacement)).toEqual(["XPU", "CUDA"]);
	});

	it("move with what they are about", () => {
		let state = editor("CPU, CUDAA: x", [finding(1, 6, 11, "CUDA")]);
		state = state.update({ changes: { from: 0, insert: "# one more line\n" } }).state;
		expect(marked(state)).toEqual(["CUDAA"]);
		const fix = state.field(foundField)[0]?.fix;
		expect(fix && state.sliceDoc(fix.from, fix.to)).toBe("CUDAA");
	});

	it("shrink to nothing where their text is taken away", () => {
		let state = editor("CPU, CUDAA: x", [finding(1, 6, 11, "CUDA")]);
		state = state.update({ changes: { from: 0, to: state.doc.length, insert: "" } }).state;
		expect(marked(state)).toEqual([""]);
		expect(state.field(foundField)[0]?.fix).toBeUndefined();
	});

	it("are taken from the answer alone", () => {
		const state = editor("a b", [finding(1, 1, 2)]);
		expect(marked(state.update({ effects: setFound.of([]) }).state)).toEqual([]);
	});
});
