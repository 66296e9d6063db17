// Takes the pictures of the documents: `make screenshots`. The browser writes WebP by itself.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { NEWEST, settled, site, skip } from "./harness.mjs";

const folder = fileURLToPath(new URL("../../docs/screenshots", import.meta.url));
const QUALITY = 72;

const ENTRY = `- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU, CUDAA: add_out

- func: scaled(Tensor self, Optional[float] factor) -> Tensor
`;

/** Types a text in the place of all that is in the editor, and waits for what is found. */
async function type(page) {
	await page.getByRole("textbox", { name: "Declarations, as YAML" }).click();
	await page.keyboard.press("Control+a");
	await page.keyboard.insertText(ENTRY);
	await page.getByText("Elsewhere in").waitFor();
}

const PICTURES = [
	["home", "/"],
	["operator", `/p/pytorch/r/${NEWEST}/operators/add.Tensor`],
	["matrix", `/p/pytorch/r/${NEWEST}/backends?cell=abs,MPS`],
	["matrix-dark", `/p/pytorch/r/${NEWEST}/backends?cell=abs,MPS`, { theme: "dark" }],
	["review", `/p/pytorch/compare/2.13.0...${NEWEST}`],
	["backend", `/p/pytorch/r/${NEWEST}/backends/MPS`],
	["validate", `/validate?project=pytorch&over=${NEWEST}`, { before: type }],
];

describe("screenshots", { skip, concurrency: false }, () => {
	const web = site();

	for (const [name, path, { theme = "light", before } = {}] of PICTURES) {
		it(name, async (t) => {
			const page = await web.open(t, path, { width: 1280, height: 860, theme });
			await settled(page);
			await before?.(page);
			await settled(page);
			// The pointer and the cursor belong to nobody.
			await page.mouse.move(0, 0);
			await page.evaluate(() => {
				document.activeElement?.blur();
				window.scrollTo(0, 0);
			});
			const session = await page.context().newCDPSession(page);
			const options = { format: "webp", quality: QUALITY };
			const { data } = await session.send("Page.captureScreenshot", options);
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"));
		});
	}
});
