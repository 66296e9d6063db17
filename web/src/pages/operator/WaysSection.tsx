import { useQuery } from "@tanstack/react-query";
import { apiPath, waysQuery } from "../../api/queries";
import { ButtonLink } from "../../components/controls";
import { Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Async } from "../../components/States";
import { WayMark } from "../../components/WayMark";
import { usePlace } from "../../layout/place";
import { sinceWords, type WayFate } from "../../lib/ways";
import { segment } from "../../nav";
import styles from "./Ways.module.css";

/** How many ways there are, whose room is kept while they load. */
const WAYS = 14;

/** What becomes of the operator when it is trained, compiled, batched, sharded or packaged. */
export function WaysSection({ operator }: { operator: string }) {
	const place = usePlace();
	const query = useQuery(waysQuery(place, operator));
	const missing = query.data?.items.filter((fate) => fate.missing).length;
	return (
		<Section
			id="ways"
			title="Ways"
			note={
				query.data
					? `fails or falls back on ${missing} of ${query.data.items.length}`
					: "besides a plain call"
			}
			actions={
				<ButtonLink href={apiPath(place, `/operators/${segment(operator)}/ways`)}>
					As data
				</ButtonLink>
			}
		>
			<Async query={query} loading={<Room />}>
				{({ items }) => (
					<ul className={styles.ways} aria-label="Ways">
						{items.map((fate) => (
							<Way key={fate.way} fate={fate} />
						))}
					</ul>
				)}
			</Async>
		</Section>
	);
}

/** One way in a line; it opens to the reason and since when. */
function Way({ fate: { title, fate, works, missing, because, ...known } }: { fate: WayFate }) {
	const reason = because.replaceAll("`", "");
	return (
		<li className={styles.way} data-works={works ?? undefined}>
			<details>
				<summary title={[reason, sinceWords(known)].filter(Boolean).join("; ")}>
					<span className={styles.title}>{title}</span>
					<WayMark works={works} missing={missing}>
						{fate}
					</WayMark>
				</summary>
				<p className={styles.because}>
					<Prose text={because} />
				</p>
				<p className={styles.since}>{sinceWords(known)}</p>
			</details>
		</li>
	);
}

/** As much room as the ways will take. */
function Room() {
	return (
		<div className={styles.ways} role="status" aria-label="Loading">
			{Array.from({ length: WAYS }, (_, at) => (
				<div key={at} className={styles.way} />
			))}
		</div>
	);
}
