import { expect, it } from "vitest";
import { pieces } from "./prose";

const shown = (text: string) => pieces(text).map(({ code, text }) => (code ? `<${text}>` : text));

it("code is between backticks", () => {
	expect(shown("argument `a` renamed to `b`")).toEqual(["argument ", "<a>", " renamed to ", "<b>"]);
	expect(shown("no code")).toEqual(["no code"]);
	expect(shown("a ` alone")).toEqual(["a ` alone"]);
});

it("backticks in code do not end it", () => {
	expect(shown("from `` x` Approved `y `` to `z`")).toEqual(["from ", "<x` Approved `y>", " to ", "<z>"]);
});
