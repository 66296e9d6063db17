import type { MatrixView, Place } from "../api/queries";
import type { components } from "../api/schema";
import { candidateOf } from "../lib/matrix";
import { stringify } from "../lib/search";
import { candidate, fitting } from "../lib/sought";
import { fateAt } from "../lib/ways";
import { operatorPath, revisionPath } from "../nav";
import type { Hit } from "./hits";

/** What the server understood of a way in the words. */
export type SoughtWay = components["schemas"]["SoughtWayView"];

/** How many operators are shown with their fates. */
const SHOWN = 8;

/** `what Inductor lacks, tagged core` */
export const lackWords = ({ title, tag }: SoughtWay): string =>
	`what ${title} lacks${tag ? `, tagged ${tag}` : ""}`;

/** What of the matrix lists these operators. */
export const lackSearch = ({ way, tag }: SoughtWay) =>
	({ show: "ways", way, tag: tag ?? undefined }) as const;

/** Where words that name a way lead to: operators with their fates, then all operators on the way. */
export function wayHits(place: Place, view: MatrixView, way: SoughtWay, where: string): Hit[] {
	const column = view.ways.ways.findIndex((known) => known.way === way.way);
	const named = way.rest === "" ? [] : fitting(way.rest, view.operators, candidateOf);
	const operators = named.slice(0, SHOWN).map((operator): Hit => {
		const fate = fateAt(view, operator, column)?.fate ?? "does not apply";
		const to = `${operatorPath(place, operator.name)}#ways`;
		const note = `${way.title}: ${fate}`;
		return { kind: "way", name: operator.name, note, where, to, of: candidateOf(operator) };
	});
	const all: Hit = {
		kind: "way",
		name: way.title,
		note: lackWords(way),
		where,
		to: revisionPath(place, "/backends") + stringify(lackSearch(way)),
		of: candidate(way.title),
	};
	return [...operators, all];
}
