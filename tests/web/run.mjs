// Runs browser tests, two files at a time, and starts the server that most of them share.
//
//   node tests/web/run.mjs [FILE...]

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { skip, start } from "./harness.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const named = process.argv.slice(2);
const all = readdirSync(here).filter((name) => name.endsWith(".spec.mjs"));
const files = named.length > 0 ? named : all.map((name) => join(here, name));

const server = skip ? undefined : await start();
const env = { ...process.env, ...(server && { OPATLAS_WEB_BASE: server.base }) };
const tests = spawn(process.execPath, ["--test", "--test-concurrency=2", ...files], {
	env,
	stdio: "inherit",
});
process.exitCode = await new Promise((resolve) => tests.on("exit", (code) => resolve(code ?? 1)));
await server?.stop();
