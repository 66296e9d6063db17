import { describe, expect, it } from "vitest";
import { blocksOf, runsOf } from "./reportText";

const plain = { code: false, strong: false, href: undefined };

describe("a report in Markdown", () => {
	it("is headings, lists with what is inside, tables, code and details", () => {
		const text = [
			"### **Blocked:** `f`",
			"",
			"- one",
			"  more",
			"  <details><summary>details</summary>",
			"",
			"  - inner",
			"",
			"    ```diff",
			"    -- old",
			"    ```",
			"",
			"  </details>",
			"- two",
			"",
			"| a | b |",
			"|---|--:|",
			"| x \\| y | 1 |",
			"end",
		].join("\n");
		expect(blocksOf(text)).toEqual([
			{ kind: "heading", level: 3, text: "**Blocked:** `f`" },
			{
				kind: "list",
				items: [
					[
						{ kind: "paragraph", text: "one\nmore" },
						{
							kind: "details",
							summary: "details",
							blocks: [
								{
									kind: "list",
									items: [
										[
											{ kind: "paragraph", text: "inner" },
											{ kind: "code", text: "-- old" },
										],
									],
								},
							],
						},
					],
					[{ kind: "paragraph", text: "two" }],
				],
			},
			{ kind: "table", head: ["a", "b"], rows: [["x | y", "1"]] },
			{ kind: "paragraph", text: "end" },
		]);
	});

	it("ends whatever is not closed", () => {
		expect(blocksOf("```\na")).toEqual([{ kind: "code", text: "a" }]);
		expect(blocksOf("<details><summary>s</summary>\na")).toEqual([
			{ kind: "details", summary: "s", blocks: [{ kind: "paragraph", text: "a" }] },
		]);
	});

	it("marks strong text and code, also in turn", () => {
		expect(runsOf("`f(`**`x`**`)` and **b**")).toEqual([
			{ ...plain, text: "f(", code: true },
			{ ...plain, text: "x", code: true, strong: true },
			{ ...plain, text: ")", code: true },
			{ ...plain, text: " and " },
			{ ...plain, text: "b", strong: true },
		]);
	});

	it("takes no markup, and no link but to the web", () => {
		const bad = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) \\<b> &lt;i>";
		expect(runsOf(bad)).toEqual([
			{ ...plain, text: "<img src=x onerror=alert(1)> [a](javascript:alert(1)) <b> <i>" },
		]);
		expect(runsOf("[a](https://b.c)")).toEqual([{ ...plain, text: "a", href: "https://b.c" }]);
	});
});
