import type { MatrixView, Place } from "../api/queries";
import { candidateOf, cellAt, columnOf, type MatrixOperator } from "../lib/matrix";
import { familyOf, mainOf } from "../lib/names";
import { reasonOf } from "../lib/reasons";
import { stringify } from "../lib/search";
import { best } from "../lib/sought";
import { verdictAt } from "../lib/verdicts";
import { namePath, operatorPath } from "../nav";
import type { Hit } from "./hits";

/** How many operators are shown for a pair. */
const SHOWN = 12;
/** Words that say nothing about which operator is meant. */
const FILLERS = new Set([
	..."a an and at by can does do for from how i in is it my of on op operator run runs since support".split(" "),
	..."supported supports the to torch use what when why with work works".split(" "),
]);
/** Other names of backends, in lower case. */
const NAMES: Record<string, string> = {
	rocm: "HIP",
	amd: "HIP",
	gpu: "CUDA",
	nvidia: "CUDA",
	metal: "MPS",
	intel: "XPU",
};

/** A key and the words beside it: `MPS grid_sampler`, `softmax on cuda`. */
export interface Pair {
	key: string;
	rest: string;
}

/** The pair that a text names; undefined where it names no key, or nothing but a key. */
export function pairOf(text: string, keys: readonly string[]): Pair | undefined {
	const words = text.trim().split(/[\s?,;]+/).filter((word) => word !== "");
	const lower = new Map(keys.map((key) => [key.toLowerCase(), key]));
	const keyOf = (word: string) => lower.get(word.toLowerCase()) ?? NAMES[word.toLowerCase()];
	const at = words.findIndex((word) => keyOf(word) !== undefined);
	const key = at < 0 ? undefined : keyOf(words[at] as string);
	const rest = words.filter((word, place) => place !== at && !FILLERS.has(word.toLowerCase()));
	return key === undefined || rest.length === 0 ? undefined : { key, rest: rest.join(" ") };
}

/** What an operator has at a key, in a word. */
function wordAt(view: MatrixView, operator: MatrixOperator, key: string): string {
	const at = view.verdicts.keys.indexOf(key);
	if (at >= 0) return verdictAt(view.verdicts.rows[operator.verdicts]?.[at]).short;
	return reasonOf(cellAt(view, operator, columnOf(view, key)).reason).short;
}

/** Operators and names with what they have at the key of a pair; each leads to why. */
export function pairHits(place: Place, view: MatrixView, where: string, text: string): Hit[] {
	const pair = pairOf(text, view.keys.map(({ key }) => key));
	if (pair === undefined) return [];
	const { key, rest } = pair;
	const query = stringify({ key });
	const of = candidateOf;
	const hitOf = (kind: Hit["kind"], name: string, to: string, operator: MatrixOperator): Hit => {
		const word = `${key}: ${wordAt(view, operator, key)}`;
		const note = name === operator.name ? word : `${word} (${operator.name})`;
		return { kind, name, note, where, to: to + query, of: of(operator) };
	};
	const found = best(rest, view.operators, of).slice(0, SHOWN);
	const hits = found.map((operator) =>
		hitOf("operator", operator.name, operatorPath(place, operator.name), operator),
	);
	// A name that no operator has alone stands for all that share it.
	const family = familyOf(found[0]?.name ?? "");
	const main = mainOf(view.operators.filter(({ name }) => familyOf(name) === family));
	if (main === undefined || found[0]?.name === family) return hits;
	return [hitOf("overloads", family, namePath(place, family), main), ...hits];
}
