import { describe, expect, it, vi } from "vitest";
import {
	BACKEND_TABS,
	backendPath,
	comparePath,
	filePath,
	historyPath,
	keyPath,
	NAV,
	namePath,
	operatorPath,
	PAGES,
	projectPath,
	revisionPath,
	rulePath,
	topicPath,
} from "./nav";

// The API client reads the address of the page, which Node does not have. No test sends a request.
vi.stubGlobal("location", { origin: "http://localhost", hash: "" });
const { router } = await import("./router");

/** A name with everything that means something in an address. */
const NAME = "a.b::c+d %e?f#g&h";
const PLACE = { project: "pytorch", rev: "v2.9.0+cu #1" };
const KEY = { ...PLACE, key: NAME };

/** What the router reads out of a path: the view, and its parameters. */
function read(path: string) {
	const [pathname = path] = path.split(/[?#]/);
	const matches = router.matchRoutes(pathname, {});
	const last = matches[matches.length - 1];
	return { view: last?.fullPath, params: last?.params };
}

describe("a link leads to its view, with its parameters", () => {
	const REVISION = "/p/$project/r/$rev";
	const links: [path: string, view: string, params: object][] = [
		[revisionPath(PLACE), `${REVISION}/`, PLACE],
		[revisionPath(PLACE, "/operators"), `${REVISION}/operators`, PLACE],
		[operatorPath(PLACE, NAME), `${REVISION}/operators/$operator`, { ...PLACE, operator: NAME }],
		[namePath(PLACE, NAME), `${REVISION}/names/$name`, { ...PLACE, name: NAME }],
		[keyPath(PLACE, NAME), `${REVISION}/backends/$key/`, KEY],
		[filePath(PLACE, "backends/xla.yaml"), `${REVISION}/files/$file`, { ...PLACE, file: "backends/xla.yaml" }],
		[topicPath(NAME), "/topics/$topic", { topic: NAME }],
		[rulePath(NAME), "/rules/$rule", { rule: NAME }],
		[
			comparePath("pytorch", PLACE.rev, "b/c"),
			"/p/$project/compare/$range",
			{ project: "pytorch", range: `${PLACE.rev}...b/c` },
		],
		[projectPath("a/b"), "/p/$project", { project: "a/b" }],
		[projectPath("pytorch", "trends"), "/p/$project/trends", { project: "pytorch" }],
		[
			historyPath("pytorch", NAME),
			"/p/$project/operators/$operator/history",
			{ project: "pytorch", operator: NAME },
		],
		...BACKEND_TABS.map(({ tab }): [string, string, object] => [
			backendPath(PLACE, NAME, tab),
			`${REVISION}/backends/$key/${tab}`,
			KEY,
		]),
	];
	for (const [path, view, params] of links) {
		it(path, () => expect(read(path)).toEqual({ view, params }));
	}
});

it("every view of the header and the search has a route", () => {
	// A path without a route is read as the root.
	const paths = [...NAV.filter((item) => !item.outside), ...PAGES].flatMap(({ to }) => to(PLACE) ?? []);
	expect(paths.length).toBeGreaterThan(10);
	for (const path of paths.filter((path) => path !== "/")) {
		expect(read(path).view, path).toMatch(/^\/./);
	}
});
