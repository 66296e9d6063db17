// A project with as many commits as a real history, for the tests and the measurements of pages.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { run } from "./harness.mjs";

/** The project that has the commits. */
export const LINE = "line";

/** The subject of a commit, by its number. */
export const subjectOf = (at) => `Change the default of one to ${at} (#${at})`;

/** The stream that makes a repository with so many commits, in the format of `git fast-import`. */
function stream(commits) {
	const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
	const parts = [];
	for (let at = 0; at < commits; at += 1) {
		const text =
			`- func: one(Tensor self, int n=${at}) -> Tensor\n` +
			"- func: two(Tensor self) -> Tensor\n  dispatch:\n    CPU: two_cpu\n";
		parts.push(
			`commit refs/heads/main\nmark :${at + 1}\n`,
			`committer A <a@b.c> ${1_500_000_000 + at * 3600} +0000\n`,
			data(subjectOf(at)),
			at > 0 ? `from :${at}\n` : "",
			`M 644 inline native_functions.yaml\n${data(text)}\n`,
		);
	}
	return parts.join("");
}

/** Imports so many commits, an hour after each other, and gives the short id of the last. */
export function importCommits(database, dir, commits) {
	const clone = join(dir, "clone");
	mkdirSync(clone);
	const git = (args, input) => execFileSync("git", ["-C", clone, ...args], { input });
	git(["init", "-q", "-b", "main"]);
	git(["fast-import", "--quiet"], stream(commits));
	const path = ["--path", "native_functions.yaml"];
	run("import", "--project", LINE, "--git", clone, ...path, "--database", database);
	return `${git(["rev-parse", "main"])}`.trim().slice(0, 12);
}
