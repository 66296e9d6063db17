// Every page that the routes lead to, in the states that look different, for the tests that look at
// all of them. A page is named by its file under web/src/pages; `looks.spec.mjs` fails where a route
// leads to a page that is not in this list.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NEWEST } from "./harness.mjs";

const routes = fileURLToPath(new URL("../../web/src/routes", import.meta.url));

const AT = `/p/pytorch/r/${NEWEST}`;
const OPERATORS = `${AT}/operators`;
const MPS = "/p/pytorch/r/2.13.0/backends/MPS";
const FILE = `${AT}/files/native_functions.yaml`;
const LIBRARY = "/p/acme-ops";
const UPGRADE = `/p/pytorch/upgrade?base=2.13.0&head=${NEWEST}`;

/** What the console may complain of where an address means nothing. */
const MISSING = [/404/];

const button = (name) => (page) => page.getByRole("button", { name }).first().click();
const tab = (name) => (page) => page.getByRole("tab", { name }).click();
const search = async (page) => {
	await page.keyboard.press("/");
	await page.getByRole("combobox", { name: "Search" }).fill("conv");
	await page.getByRole("option", { name: /^operator/ }).first().waitFor();
};
const help = async (page) => {
	await page.keyboard.press("?");
	await page.getByRole("dialog", { name: "Keys" }).waitFor();
};
const openAll = (page) =>
	page.evaluate(() => {
		for (const details of document.querySelectorAll("main details")) details.open = true;
	});

/** Page, state, address, and where it takes more than an address: `act`, and what is `fine`. */
export const PAGES = [
	["Home", "newest revisions", "/"],
	["Home", "search", "/", { act: search }],
	["Home", "keys", "/", { act: help }],
	["project/Project", "revisions", "/p/pytorch"],
	["project/Project", "no revision has the words", "/p/pytorch?q=nothing+like+it"],
	["project/Project", "commits", "/p/line"],
	["project/Project", "a library", LIBRARY],
	["project/Project", "no such project", "/p/none", { fine: MISSING }],
	["Revision", "a release", AT],
	["Revision", "findings unfolded", AT, { act: openAll }],
	["Revision", "a library", `${LIBRARY}/r/0.2`],
	["Revision", "no such revision", "/p/pytorch/r/2.15.9", { fine: MISSING }],
	["Operators", "all", OPERATORS],
	["Operators", "filtered", `${OPERATORS}?q=conv&key=MPS&reason=missing`],
	["Operators", "none match", `${OPERATORS}?q=nothing+like+it`],
	["Operators", "a library", `${LIBRARY}/r/0.2/operators`],
	["operator/OperatorView", "explained", `${OPERATORS}/add_.Tensor?key=PrivateUse1`],
	["operator/OperatorView", "grid", `${OPERATORS}/split.Tensor?table=grid&key=SparseCPU`],
	["operator/OperatorView", "what if", `${OPERATORS}/abs?with=XLA:mine&without=CPU`],
	["operator/OperatorView", "declarations", `${OPERATORS}/add.Tensor?implement=PrivateUse1`],
	["operator/OperatorView", "structured kernel", `${OPERATORS}/add.out?implement=CPU`],
	["operator/OperatorView", "a base name", `${OPERATORS}/add`, { fine: MISSING }],
	["operator/OperatorView", "removed", `${OPERATORS}/rename_`, { fine: MISSING }],
	["operator/OperatorView", "no such operator", `${OPERATORS}/add.Tensr`, { fine: MISSING }],
	["operator/OperatorView", "of a library", `${LIBRARY}/r/0.2/operators/acme::mix`],
	["operator/OperatorView", "other types", `${LIBRARY}/r/0.2/operators/acme::lookup`],
	["name/NameView", "overloads", `${AT}/names/add`],
	["backends/Backends", "a cell explained", `${AT}/backends?cell=abs,MPS`],
	["backends/Backends", "all keys", `${AT}/backends?columns=all&key=CUDA&rows=most`],
	["backends/Backends", "ways", `${AT}/backends?show=ways&cell=abs,vmap`],
	["backends/Backends", "what a way lacks", `${AT}/backends?show=ways&way=inductor&tag=core`],
	["backends/Backend", "no such key", `${AT}/backends/MPX`],
	["backends/CoverageTab", "a backend", MPS],
	["backends/CoverageTab", "a key of no backend", `${AT}/backends/AutogradCPU`],
	["backends/KernelsTab", "what fails", `${MPS}/kernels?show=missing`],
	["backends/GapsTab", "since a release", `${AT}/backends/MPS/gaps?since=2.13.0`],
	["backends/GapsTab", "filtered", `${AT}/backends/MPS/gaps?only=lacking&tag=core`],
	["backends/LeverageTab", "ranked", `${AT}/backends/MPS/leverage`],
	["backends/ChangesTab", "since a release", `${MPS}/upgrade?against=2.12.1`],
	["backends/HistoryTab", "chart", `${MPS}/history`],
	["backends/BadgeTab", "own kernels", `${AT}/backends/MPS/badge?badge=kernel`],
	["source/Source", "a line", `${FILE}#L541`],
	["source/Source", "what is looked for", `${FILE}?q=addmm_out`],
	["source/Source", "no such file", `${AT}/files/none.yaml`, { fine: MISSING }],
	["history/OperatorHistory", "all", "/p/pytorch/operators/_cdist_backward/history"],
	["history/OperatorHistory", "a key", "/p/pytorch/operators/add.Tensor/history?key=XPU&kind=kernel"],
	["history/OperatorHistory", "of a library", `${LIBRARY}/operators/acme::mix/history`],
	["history/Trends", "charts", "/p/pytorch/trends"],
	["history/Trends", "own kernels", "/p/pytorch/trends?keys=MPS,XPU&of=kernels&from=2.13.0"],
	["history/Trends", "a way", "/p/pytorch/trends?way=aoti"],
	["history/Trends", "commits", "/p/line/trends"],
	["history/Support", "asked", "/p/pytorch/support?operators=add.Tensor,cholesky,bmm&keys=CPU,XPU"],
	["history/Support", "not asked", "/p/pytorch/support"],
	["history/Upgrade", "to be given a file", UPGRADE],
	["history/Upgrade", "a stored backend", `${UPGRADE}&backend=acme-npu`],
	["history/Search", "found", "/p/pytorch/search?q=cholesky"],
	["history/Search", "a way", "/p/pytorch/search?q=core+without+lowering"],
	["history/Search", "nothing found", "/p/pytorch/search?q=nothing_like_it"],
	["probe/ProbeRuns", "runs", "/p/pytorch/probe"],
	["probe/ProbeRuns", "none", `${LIBRARY}/probe`],
	["probe/ProbeRun", "contradictions", "/p/pytorch/probe/nightly-mps"],
	["probe/ProbeRun", "unknown", "/p/pytorch/probe/nightly-mps?agrees=unknown"],
	["probe/ProbeRun", "no known key", "/p/pytorch/probe/bare%2F1"],
	["probe/ProbeRun", "no such run", "/p/pytorch/probe/none", { fine: MISSING }],
	["compare/Choose", "revisions", "/compare"],
	["compare/Choose", "files", "/compare?from=files"],
	["compare/Choose", "files compared", "/compare?from=files", { act: button("Compare") }],
	["compare/Compare", "review", "/p/pytorch/compare/2.12.1...2.13.0"],
	["compare/Compare", "by operator", "/p/pytorch/compare/2.12.1...2.13.0?view=operators"],
	["compare/Compare", "dispatch", "/p/pytorch/compare/2.12.1...2.13.0?view=dispatch&backend=MPS"],
	["compare/Compare", "a library", `${LIBRARY}/compare/0.1...0.2`],
	["compare/Compare", "no such revision", "/p/pytorch/compare/2.12.1...9.9", { fine: MISSING }],
	["validate/Validate", "findings", "/validate"],
	["validate/Validate", "operators", "/validate", { act: tab(/Operators/) }],
	["validate/Validate", "dispatch table", "/validate", { act: tab("Dispatch table") }],
	["validate/Validate", "declarations", "/validate", { act: tab("Implement it") }],
	["rules/Rules", "all", "/rules"],
	["rules/Rule", "of validation", "/rules/out-return-matches"],
	["rules/Rule", "of compatibility", "/rules/argument-renamed"],
	["rules/Rule", "no such rule", "/rules/no-such-rule", { fine: MISSING }],
	["topics/Topics", "all", "/topics"],
	["topics/Topic", "a guide", "/topics/dispatch-keyword"],
	["topics/Topic", "the end of a guide", "/topics/dispatch-keyword?answers=1.1"],
	["topics/Topic", "a field", "/topics/dispatch"],
	["topics/Topic", "a type", "/topics/Dimname"],
	["topics/Topic", "a key", "/topics/SparseCsrXPU"],
	["topics/Topic", "no such topic", "/topics/no-such-topic", { fine: MISSING }],
	["ask/Why", "examples", "/why"],
	["ask/Why", "an answer", "/why", { act: button(/_linalg_eigh/) }],
	["ask/Preflight", "to be given a model", "/p/pytorch/preflight"],
	["ask/Preflight", "a list", "/p/pytorch/preflight", { act: button("Check the text") }],
	["access/Access", "without a token", "/access"],
	["Coverage", "what figures count", "/coverage"],
	["docs/Docs", "all operations", "/docs"],
	["docs/Docs", "an operation", "/docs?op=get_operator"],
	["NotFound", "no page", "/nowhere"],
].map(([page, state, path, { act, fine = [] } = {}]) => ({ page, state, path, act, fine }));

/** The pages that the files of routes lead to, by file. */
export function routedPages() {
	const found = new Map();
	for (const file of readdirSync(routes)) {
		const text = readFileSync(join(routes, file), "utf8");
		const pages = [...text.matchAll(/import\("\.\.\/pages\/([^"]+)"\)/g)].map(([, page]) => page);
		found.set(file, pages);
	}
	return found;
}
