// Runs of the probe, sent as workers send them.

import { createHash } from "node:crypto";
import { NEWEST } from "./harness.mjs";

/** What workers measured: a test that lacks a kernel that the verdicts promise, and others. */
const ROWS = [
	{ item: "abs", outcome: "missing", results: [["missing", "aten::abs.out"]], roots: ["abs"] },
	{ item: "add", outcome: "runs", results: [["ok"]], roots: ["add.Tensor"] },
	{ item: "cholesky", outcome: "error", results: [["error", "RuntimeError", "x"]], roots: ["cholesky"] },
	{ item: "mm", outcome: "wrong", results: [["wrong", "far off"]], roots: ["mm"] },
	{ item: "svd", outcome: "crash" },
];

/** The run that contradicts a verdict. */
export const RUN = "nightly-mps";
/** A run on a device without a known key; its name has a slash. */
export const BARE = "bare/1";

/** The digest of rows: SHA-256 of JSON with sorted keys. */
const digestOf = (rows) => {
	const sorted = rows.map((row) => Object.fromEntries(Object.entries(row).sort()));
	return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
};

/** Opens runs in a project that has the newest release, and hands in their results. */
export async function addRuns(base, project = "pytorch") {
	const post = async (path, body) => {
		const answer = await fetch(`${base}/v1/projects/${project}/probe/${path}`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(body),
		});
		if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
		return answer.json();
	};
	for (const [key, device] of [
		[BARE, "bare"],
		[RUN, "mps"],
	]) {
		const items = { runs: ROWS.map(({ item }) => item) };
		await post("runs", { key, revision: NEWEST, torch: NEWEST, device, items, shard_seconds: 3600 });
		const run = encodeURIComponent(key);
		const { shard, lease } = await post(`runs/${run}/lease`, { worker: { rank: 1 } });
		const result = { lease, worker: { rank: 1 }, rows: ROWS, digest: digestOf(ROWS) };
		await post(`runs/${run}/shards/${shard}`, result);
	}
}
