import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { lineQuery, type NameItem, stepsQuery, type TimelinePart } from "../../api/queries";
import { Empty } from "../../components/States";
import { placeKey, stepsByPlace } from "../../lib/change";
import { placeAddress } from "../../lib/history";
import type { TrendPoint } from "../../lib/trends";
import styles from "./Project.module.css";
import { RevisionCard } from "./RevisionCard";

const LINES: Partial<Record<NameItem["kind"], "releases" | "commits">> = {
	version: "releases",
	commit: "commits",
};

/** The part of the timeline that names which follow each other are of. */
function partOf(items: readonly NameItem[]): TimelinePart | undefined {
	const [first] = items;
	const line = first && LINES[first.kind];
	const same = items.filter(({ kind }) => kind === first?.kind);
	const last = same.at(-1);
	if (!first || !last || !line) return undefined;
	return { from: placeAddress(last), to: placeAddress(first), line };
}

const NONE: readonly TrendPoint[] = [];

interface Props {
	project: string;
	/** Names in the order of the timeline, each after the one that came later. */
	items: readonly NameItem[];
	/** How many of them are shown; those that follow are only compared with. */
	shown?: number;
	/** How many are asked for before they are near the window. */
	eager?: number;
	/** Whether they follow each other on the timeline. */
	isWhole?: boolean;
}

/** Revisions, each with what it changed since the one before. */
export function RevisionCards({ project, items, shown, eager = 4, isWhole = true }: Props) {
	const part = isWhole ? partOf(items) : undefined;
	// One answer for all of them. They are shown without it until it is there.
	const points = useQuery({ ...stepsQuery(project, part), enabled: part !== undefined });
	// What is computed for all of the timeline must not delay the rest.
	const line = useQuery({ ...lineQuery(project), enabled: points.data !== undefined });
	const steps = useMemo(() => stepsByPlace(points.data ?? []), [points.data]);
	return (
		<ol className={styles.revisions}>
			{items.slice(0, shown).map((item, at) => {
				const next = items[at + 1];
				return (
					<RevisionCard
						key={`${item.kind} ${placeKey(item)}`}
						project={project}
						item={item}
						before={isWhole && next?.kind === item.kind ? next : undefined}
						step={steps.get(placeKey(item))}
						line={line.data ?? NONE}
						eager={at < eager}
					/>
				);
			})}
		</ol>
	);
}

/** What stands where a project has nothing yet. */
export function NoRevisions({ project }: { project: string }) {
	return (
		<Empty title="This project has no revisions">
			<p>
				Run <code>opatlas import</code>, or post a bundle to{" "}
				<code>/v1/projects/{project}/revisions</code>.
			</p>
		</Empty>
	);
}
