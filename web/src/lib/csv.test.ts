import { expect, it } from "vitest";
import { textOf } from "./csv";

it("quotes what has commas, quotes or ends of lines", () => {
	expect(textOf([["a", 1], ['say "x"', "a,b"]])).toBe('a,1\r\n"say ""x""","a,b"\r\n');
});
