import { Link } from "@tanstack/react-router";
import type { Outcome } from "../../lib/coverage";
import { count } from "../../lib/format";
import { placeAddress, placeTitle, type TimelinePlace } from "../../lib/history";
import styles from "./Backend.module.css";
import { useBackend } from "./useBackend";

interface Props {
	/** How many more or fewer there are; nothing where that is not known. */
	change: number | undefined;
	since: TimelinePlace | undefined;
	/** Of which outcome. */
	more: Outcome;
}

/** Whether more of an outcome is good news. */
const NEWS: Partial<Record<Outcome, "good" | "bad">> = { works: "good", fails: "bad" };
const OPPOSITE = { good: "bad", bad: "good" } as const;

/** How a figure changed since the revision before, with the way to what changed; its room stays. */
export function Delta({ change, since, more }: Props) {
	const { place, key } = useBackend();
	if (change === undefined || !since) return <span className={styles.delta} />;
	const said = change === 0 ? "±0" : `${change > 0 ? "+" : "−"}${count(Math.abs(change))}`;
	const news = NEWS[more];
	const tone = change === 0 || !news ? undefined : change > 0 ? news : OPPOSITE[news];
	return (
		<span className={styles.delta} data-news={tone}>
			<Link
				to="/p/$project/r/$rev/backends/$key/upgrade"
				params={{ project: place.project, rev: place.rev, key }}
				search={{ against: placeAddress(since) }}
				className="target"
			>
				{said} since {placeTitle(since)}
			</Link>
		</span>
	);
}
