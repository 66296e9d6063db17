import { expect, it } from "vitest";
import { tableOf } from "./markdown";

it("escapes what would end a cell or be markup", () => {
	const rows = [
		["operator", "a|b"],
		["_cast_Byte", "two\nlines"],
		["<b>", 3],
	];
	expect(tableOf(rows)).toBe(
		"| operator | a\\|b |\n| --- | --- |\n| \\_cast\\_Byte | two lines |\n| \\<b\\> | 3 |\n",
	);
});
