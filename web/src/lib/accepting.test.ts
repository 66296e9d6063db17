import { describe, expect, it } from "vitest";
import { acceptable, commandsFor, exceptionFor, tomlFor } from "./accepting";
import type { Change } from "./comparison";

const change = (rest: Partial<Change>): Change =>
	({
		operator: "can_cast",
		rule: "argument-renamed",
		argument: "from",
		level: "breaking",
		exception: null,
		accept: "opatlas exception add can_cast argument-renamed --argument from --reason ... --until ...",
		...rest,
	}) as Change;

const said = { reason: " nobody's \"name\" $& ", until: "2.16", owner: "core" };

describe("accepting", () => {
	it("fills in the command, quoted for a shell, and leaves open what was not said", () => {
		expect(commandsFor([change({})], said)).toBe(
			"opatlas exception add can_cast argument-renamed --argument from " +
				"--reason 'nobody'\\''s \"name\" $&' --until 2.16 --owner core",
		);
		expect(commandsFor([change({})], { reason: "", until: "", owner: "" })).toBe(change({}).accept);
	});

	it("writes what opatlas.toml reads", () => {
		expect(tomlFor([change({}), change({ argument: null })], said)).toBe(
			'[[exception]]\noperator = "can_cast"\nrule = "argument-renamed"\nargument = "from"\n' +
				'reason = "nobody\'s \\"name\\" $&"\nowner = "core"\nuntil = "2.16"\n\n' +
				'[[exception]]\noperator = "can_cast"\nrule = "argument-renamed"\n' +
				'reason = "nobody\'s \\"name\\" $&"\nowner = "core"\nuntil = "2.16"\n',
		);
	});

	it("ends where it is said, or never", () => {
		const end = (until: string) => exceptionFor(change({}), { ...said, until }).until;
		expect(["2027-01-31", " 3.0 ", ""].map(end)).toEqual(["2027-01-31", "3.0", null]);
	});

	it("takes what counts and is not excused", () => {
		const excused = change({
			exception: { id: "1", holds: true, status: "active", reason: "", owner: null, until: null },
		});
		const all = [change({}), change({ level: "info" }), excused, change({ level: "dangerous" })];
		expect(acceptable(all)).toEqual([all[0], all[3]]);
	});
});
