import type { Tone } from "../../components/Badge";
import type { Group } from "../../lib/comparison";
import { LEVEL_LOOKS } from "../../lib/levels";

interface Look {
	title: string;
	glyph: string;
	tone: Tone;
	meaning: string;
}

/** How a group of changes is shown and said. */
export function groupLook(group: Group): Look {
	if (group !== "accepted") return LEVEL_LOOKS[group];
	return {
		title: "Accepted",
		glyph: "☑",
		tone: "plain",
		meaning: "Accepted by an exception; does not count until the exception ends.",
	};
}

export const groupTitle = (group: string): string => groupLook(group as Group).title;
