import { LEVEL_LOOKS, type Level } from "../lib/levels";
import { Badge } from "./Badge";

/** A change's level by colour, glyph and word. */
export function LevelBadge({ level }: { level: Level }) {
	const { glyph, tone, meaning } = LEVEL_LOOKS[level];
	return (
		<Badge tone={tone} title={meaning}>
			<span aria-hidden="true">{glyph}</span>
			{level}
		</Badge>
	);
}
