import { expect, test } from "vitest";
import { isMessage, understood } from "./message";

test("messages and calls are told from words to search for", () => {
	for (const text of [
		"NotImplementedError: The operator 'aten::mode' is not currently implemented for the MPS device.",
		"a.so: undefined symbol: _ZN2at4_ops10select_int4callERKNS_6TensorEll in the extension of mine",
		"F.relu(x, inplace=True)",
		" x.add_(y) ",
		"one line\nand another",
	]) {
		expect(isMessage(text), text).toBe(true);
	}
	for (const text of ["add.Tensor", "MPS grid_sampler", "at::Tensor add", "how many operators does vmap lack today"]) {
		expect(isMessage(text), text).toBe(false);
	}
});

test("what was understood is marked, and the rest is kept", () => {
	const text = "é: line\nat 'aten::mode' of MPS";
	const span = (line: number, column: number, end: number) => ({
		line,
		column,
		end_line: line,
		end_column: end,
	});
	const pieces = understood(text, [
		{ what: "message", span: span(1, 1, 3) },
		{ what: "operator", span: span(2, 5, 15) },
		{ what: "operator", span: span(2, 6, 9) },
	]);
	expect(pieces).toEqual([
		{ text: "é:", what: "message" },
		{ text: " line\nat '" },
		{ text: "aten::mode", what: "operator" },
		{ text: "' of MPS" },
	]);
	expect(understood(text, [])).toEqual([{ text }]);
});
