// "Call it" and "Implement it" on an operator's page, and the page of a base name.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, NEWEST, reads, site, skip } from "./harness.mjs";

describe("declarations", { skip, concurrency: false }, () => {
	const web = site();
	const OPERATORS = `/p/pytorch/r/${NEWEST}/operators`;
	const asked = async (path) =>
		(await fetch(`${web.base}/v1/projects/pytorch/revisions/${NEWEST}/${path}`)).json();
	const region = (page, name) => page.getByRole("region", { name, exact: true });

	it("are those of the API", async (t) => {
		const page = await web.open(t, `${OPERATORS}/add.Tensor`);
		const call = region(page, "Call it");
		const answer = await asked("operators/add.Tensor/signatures");
		for (const text of [answer.python_function, answer.python_method, answer.functions[0]]) {
			await call.getByText(text, { exact: false }).first().waitFor();
		}
		for (const { python_function } of answer.deprecated ?? []) {
			await call.getByText(python_function).waitFor();
		}
	});

	it("of a key are chosen, copied, and kept in the address", async (t) => {
		const page = await web.open(t, `${OPERATORS}/add.out`);
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		const implement = region(page, "Implement it");
		const field = implement.getByLabel("Dispatch key", { exact: true });
		await field.fill("XPU");
		await page.waitForURL("**/operators/add.out?implement=XPU");
		const { implement: parts } = await asked("operators/add.out/signatures?key=XPU");
		await implement.getByText(parts.registration.trim().split("\n")[0]).first().waitFor();
		assert.ok(parts.in_tree.meta_definition);
		await implement.getByText(parts.in_tree.meta_definition.trim().split("\n")[0]).waitFor();
		const definition = implement.locator("div").filter({ hasText: /^Definition/ }).last();
		await definition.getByRole("button", { name: /Copy|Copied/ }).click();
		await eventually(async () =>
			assert.equal(
				await page.evaluate(() => navigator.clipboard.readText()),
				parts.in_tree.definition.trimEnd(),
			),
		);
	});

	it("for a key outside the tree are a backend file and a registration, nothing of PyTorch's own file", async (t) => {
		const page = await web.open(t, `${OPERATORS}/add.Tensor?implement=PrivateUse1`);
		const implement = region(page, "Implement it");
		await reads(implement, /takes no kernel for PrivateUse1[\s\S]*TORCH_LIBRARY_IMPL\(aten, PrivateUse1/);
		await reads(implement, /backend: PrivateUse1\s+cpp_namespace: acme\s+supported:\s+- add\.Tensor/);
		assert.equal(await implement.getByText("Declaration in NativeFunctions.h").count(), 0);
		// And the other way around where PyTorch has kernels.
		await page.goto(`${web.base}${OPERATORS}/add.out?implement=CPU`);
		await implement.getByText("Declaration in NativeFunctions.h").waitFor();
		assert.equal(await implement.getByText("cpp_namespace").count(), 0);
	});

	it("of a tried registration are one click away", async (t) => {
		const page = await web.open(t, `${OPERATORS}/bmm?with=PrivateUse1`);
		await page.getByRole("link", { name: "Implement it: bmm for PrivateUse1" }).click();
		await page.waitForURL("**/operators/bmm?implement=PrivateUse1#implement");
		await region(page, "Implement it").getByText("TORCH_LIBRARY_IMPL").first().waitFor();
	});

	it("of a base name are those of its overloads", async (t) => {
		const page = await web.open(t, `${OPERATORS}/add`, { fine: [/404/] });
		const { items } = await asked("operators?base_name=add&limit=1000");
		const inplace = await asked("operators?base_name=add_&limit=1000");
		// An operator's address that is a base name leads to the name's own page.
		await page.waitForURL(`**/p/pytorch/r/${NEWEST}/names/add`);
		const overloads = region(page, "Overloads");
		await counts(overloads.getByRole("listitem"), items.length + inplace.items.length);
		await overloads.getByRole("link", { name: "add.Tensor", exact: true }).click();
		await page.waitForURL(`**${OPERATORS}/add.Tensor`);
	});
});
