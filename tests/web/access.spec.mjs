// Tokens: what is closed says so and leads to the place for a token; with one it opens. And the
// page of the API, which anybody may read.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { counts, eventually, everyLook, NEWEST, reads, run, settled, site, skip } from "./harness.mjs";

describe("access where tokens are wanted", { skip, concurrency: false }, () => {
	let token;
	const web = site({
		flags: ["--auth", "all"],
		prepare(database) {
			const said = run(
				"token",
				"create",
				"reader",
				"--all-projects",
				"--action",
				"read",
				"--database",
				database,
			);
			token = /opatlas_\S+/.exec(said)?.[0];
		},
	});
	const right = (page, action) =>
		page
			.getByRole("list", { name: "Rights" })
			.getByRole("listitem")
			.filter({ hasText: action })
			.first();
	/** Whether the browser keeps the token beyond the tab, and within it. */
	const kept = (page) =>
		page.evaluate(
			(token) =>
				[localStorage, sessionStorage].map((store) =>
					Object.values(store).some((value) => value.includes(token)),
				),
			token,
		);

	it("a closed view leads to the token, and the token opens it", async (t) => {
		const page = await web.open(t, "/", { fine: [/401/] });
		const alert = page.getByRole("alert").first();
		await alert.getByRole("link", { name: "Enter a token" }).click();
		await page.waitForURL("**/access");
		await reads(right(page, "read"), /token required/);
		await everyLook(page, "access without a token");
		await page.getByLabel("Token", { exact: true }).fill(token);
		await page.getByRole("button", { name: "Use it" }).click();
		// Back to where one came from, which is open now.
		await page.getByText(/2,590 operators/).waitFor();
		await page.getByRole("link", { name: "Access", exact: true }).click();
		await right(page, "read").getByText("allowed").waitFor();
		await reads(right(page, "ingest"), /not allowed with this token/);
		await reads(right(page, "admin"), /not allowed with this token/);
		assert.ok(!(await page.locator("body").innerText()).includes(token));
		await everyLook(page, "access with a token");
		await page.getByRole("link", { name: "Home", exact: true }).click();
		await page.getByText(/2,590 operators/).waitFor();
		assert.deepEqual(await kept(page), [false, true]);
	});

	it("a token that expired is replaced, and the page comes back with all its address", async (t) => {
		const path = `/p/pytorch/r/${NEWEST}/operators?q=conv`;
		const page = await web.open(t, "/access", { fine: [/401/] });
		await page.evaluate(() => sessionStorage.setItem("opatlas.token", "opatlas_expired"));
		await page.goto(web.base + path);
		await page.getByRole("alert").getByRole("link", { name: "Enter a token" }).click();
		await page.getByText("The server does not accept this token").waitFor();
		await page.getByLabel("Token", { exact: true }).fill(token);
		await page.getByRole("button", { name: "Use it" }).click();
		await page.waitForURL(`**${path}`);
		await page.getByRole("heading", { level: 1, name: /Operators/ }).waitFor();
	});

	it("a token is kept in the browser by choice, and forgotten on demand", async (t) => {
		const page = await web.open(t, "/access");
		await page.getByLabel("Token", { exact: true }).fill(token);
		await page.getByRole("button", { name: "In this browser" }).click();
		await page.getByRole("button", { name: "Use it" }).click();
		await right(page, "read").getByText("allowed").waitFor();
		await page.reload();
		await right(page, "read").getByText("allowed").waitFor();
		await page.getByRole("button", { name: "Forget it" }).click();
		await right(page, "read").getByText("token required").waitFor();
		await eventually(async () => assert.deepEqual(await kept(page), [false, false]));
	});

	it("a token that the server does not know is told of", async (t) => {
		const page = await web.open(t, "/access");
		await page.getByLabel("Token", { exact: true }).fill("opatlas_not_a_token");
		await page.getByRole("button", { name: "Use it" }).click();
		await page.getByText("The server does not accept this token").waitFor();
	});

	it("a text that is no token is refused at once", async (t) => {
		const page = await web.open(t, "/access");
		await page.getByLabel("Token", { exact: true }).fill("two words é");
		await page.getByRole("button", { name: "Use it" }).click();
		await page.getByText("This is not a token").waitFor();
	});
});

describe("access where nothing is closed", { skip, concurrency: false }, () => {
	const web = site();

	it("says so, and asking changes nothing", async (t) => {
		const before = await (await fetch(`${web.base}/v1/projects`)).text();
		const page = await web.open(t, "/access");
		await page.getByText("This server does not require a token").waitFor();
		assert.equal(await (await fetch(`${web.base}/v1/projects`)).text(), before);
	});

	it("the page of the API has every operation, and is accessible with one open", async (t) => {
		const page = await web.open(t, "/docs?op=validate");
		await page.getByRole("button", { name: /POST.*\/v1\/validate/ }).waitFor();
		const { paths } = await (await fetch(`${web.base}/openapi.json`)).json();
		const methods = ["get", "post", "put", "patch", "delete"];
		const count = Object.values(paths).flatMap((item) =>
			methods.filter((one) => one in item),
		).length;
		await counts(page.locator("main [aria-expanded]"), count);
		await everyLook(page, "API");
	});

	it("the page of the API finds, opens, tries and shows the command", async (t) => {
		const page = await web.open(t, "/docs");
		await page.getByLabel("Path or words").fill("validate");
		await page.waitForURL("**/docs?q=validate");
		await page.getByRole("button", { name: /POST.*\/v1\/validate/ }).click();
		await page.waitForURL("**/docs?op=validate&q=validate");
		await page.getByLabel("release · query").fill("2.9");
		await page
			.getByText(/curl --fail-with-body -X POST [\s\S]*\/v1\/validate\?release=2\.9/)
			.waitFor();
		await page.getByRole("button", { name: "Send POST" }).click();
		const answer = page.getByRole("region", { name: "Answer" });
		await reads(answer, /"valid": (true|false)/);
		await page.getByLabel("Accept").selectOption("text/markdown");
		await page.getByRole("button", { name: "Send POST" }).click();
		await reads(answer, /^#|\*\*/);
		await page.goBack();
		await page.waitForURL("**/docs?q=validate");
		await page.getByLabel("Path or words").fill("no such thing");
		await page.getByText("No operation has these words").waitFor();
	});

	it("a path is asked for before it is sent", async (t) => {
		const page = await web.open(t, "/docs?op=get_revision");
		await page.getByLabel("project · path, required").fill("");
		await page.getByText("Still needed: {project}").waitFor();
		await page.getByRole("button", { name: "Send GET", disabled: true }).waitFor();
		await settled(page);
	});
});
