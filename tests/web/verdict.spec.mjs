// One verdict: the matrix, the history of an operator, support, and the operator's own page say the
// same of an operator and a key.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually, NEWEST, settled, site, skip } from "./harness.mjs";

const AT = `/p/pytorch/r/${NEWEST}`;
const KEYS = ["CPU", "CUDA", "HIP", "MPS", "XPU", "MTIA", "XLA", "Meta"];
/** With a kernel of their own, composite, of some backends only, that fail, and that fall back. */
const OPERATORS = ["add.Tensor", "grid_sampler_3d", "_cudnn_rnn", "einsum", "_nested_get_offsets"];

describe("one verdict", { skip, concurrency: false }, () => {
	const web = site();
	const asked = async (path) => (await fetch(`${web.base}/v1/projects/pytorch/${path}`)).json();

	for (const operator of OPERATORS) {
		it(`of ${operator}`, async (t) => {
			const { table } = await asked(`revisions/${NEWEST}/operators/${operator}/dispatch`);
			const verdictAt = (key) => table.find((entry) => entry.key === key).support.verdict;
			const page = await web.open(t, `${AT}/backends?q=${operator}&unknown=show`);
			await settled(page);
			const row = page
				.getByRole("row")
				.filter({ has: page.getByRole("link", { name: operator, exact: true }) });
			for (const key of KEYS) {
				await row.getByRole("gridcell", { name: `${key}: ${verdictAt(key)};` }).waitFor();
			}

			await page.goto(`${web.base}/p/pytorch/operators/${operator}/history`);
			await settled(page);
			await eventually(() =>
				page.evaluate(() => {
					for (const details of document.querySelectorAll("main details")) details.open = true;
				}),
			);
			for (const key of KEYS) {
				// The last stretch of a key is that of the newest revision.
				const stretches = page.locator("tbody").filter({
					has: page.getByRole("rowheader", { name: key, exact: true }),
				});
				const said = stretches.last().getByRole("row").last();
				const words = verdictAt(key).replace("-", " ");
				await eventually(async () =>
					assert.match(await said.innerText(), new RegExp(`\\b${words}\\b`, "i"), key),
				);
			}

			const asks = `operators=${operator}&keys=${KEYS.join(",")}`;
			await page.goto(`${web.base}/p/pytorch/support?${asks}`);
			const cells = page.getByRole("region", { name: "Support, table" }).locator("td summary");
			await eventually(async () => {
				const texts = await cells.allInnerTexts();
				assert.equal(texts.length, KEYS.length);
				for (const [at, key] of KEYS.entries()) {
					assert.match(texts[at], new RegExp(`^\\S ${verdictAt(key)}\\b`), key);
				}
			});

			await page.goto(`${web.base}${AT}/operators/${operator}?key=HIP`);
			const panel = page.getByRole("complementary", { name: "Why HIP" });
			await eventually(async () =>
				assert.match(await panel.innerText(), new RegExp(verdictAt("HIP"), "i")),
			);
		});
	}

	it("of HIP is that of CUDA", async () => {
		const { operators, verdicts } = await asked(`revisions/${NEWEST}/matrix`);
		const [hip, cuda] = ["HIP", "CUDA"].map((key) => verdicts.keys.indexOf(key));
		for (const { name, verdicts: at } of operators) {
			assert.equal(verdicts.rows[at][hip], verdicts.rows[at][cuda], name);
		}
	});
});
