import { describe, expect, it } from "vitest";
import { badgePath, snippets } from "./badge";

const MPS = { project: "pytorch", key: "MPS", revision: "2.15.0", of: "served" } as const;
const texts = (...of: Parameters<typeof snippets>) =>
	Object.fromEntries(snippets(...of).map(({ name, text }) => [name, text]));

describe("badges", () => {
	it("have addresses that tell only what is not usual", () => {
		expect(badgePath(MPS, "svg")).toBe("/v1/projects/pytorch/badges/MPS.svg?revision=2.15.0");
		expect(badgePath({ ...MPS, revision: undefined, of: "kernel" }, "json")).toBe(
			"/v1/projects/pytorch/badges/MPS.json?of=kernel",
		);
	});

	it("are pasted as Markdown, HTML and addresses", () => {
		expect(texts({ ...MPS, of: "kernel" }, "kernels: 35 %", "https://o.test")).toEqual({
			Markdown:
				"[![kernels: 35 %](https://o.test/v1/projects/pytorch/badges/MPS.svg?of=kernel&revision=2.15.0)](https://o.test/p/pytorch/r/2.15.0/backends/MPS)",
			HTML: '<a href="https://o.test/p/pytorch/r/2.15.0/backends/MPS"><img src="https://o.test/v1/projects/pytorch/badges/MPS.svg?of=kernel&amp;revision=2.15.0" alt="kernels: 35 %"></a>',
			"Image address":
				"https://o.test/v1/projects/pytorch/badges/MPS.svg?of=kernel&revision=2.15.0",
			"Endpoint for badge services":
				"https://o.test/v1/projects/pytorch/badges/MPS.json?of=kernel&revision=2.15.0",
		});
	});

	it("hold what they say as text", () => {
		const said = texts({ ...MPS, revision: undefined }, 'a]b <i> "q" & c', "");
		expect(said.Markdown).toContain('[![a\\]b <i> "q" & c](');
		expect(said.HTML).toContain('alt="a]b &lt;i&gt; &quot;q&quot; &amp; c"');
		expect(said.HTML).toContain("/p/pytorch/r/latest/backends/MPS");
	});
});
