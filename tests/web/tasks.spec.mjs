// What people come for, each in at most three actions from the home page. An action is a click, a text
// typed or pasted, or a key pressed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NEWEST, reads, settled, site, skip } from "./harness.mjs";

const MOST = 3;

/** A page that counts what is done on it. */
function counting(page) {
	const done = [];
	const act = (name, action) => {
		done.push(name);
		return action();
	};
	return {
		done,
		click: (locator) => act("click", () => locator.click()),
		press: (key) => act(`press ${key}`, () => page.keyboard.press(key)),
		type: (locator, text) => act("type", () => locator.fill(text)),
		paste: (locator, text) => act("paste", () => paste(page, locator, text)),
	};
}

async function paste(page, locator, text) {
	await locator.focus();
	await page.evaluate((text) => {
		const data = new DataTransfer();
		data.setData("text/plain", text);
		const event = { clipboardData: data, bubbles: true, cancelable: true };
		document.activeElement.dispatchEvent(new ClipboardEvent("paste", event));
	}, text);
}
