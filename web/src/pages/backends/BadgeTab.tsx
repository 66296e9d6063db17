import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Copy, Segments } from "../../components/controls";
import { CoverageLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { Async } from "../../components/States";
import { usePlace } from "../../layout/place";
import { type BadgeOf, badgePath, snippets } from "../../lib/badge";
import type { BadgeSearch } from "../../routes/backend";
import styles from "./BadgeTab.module.css";
import { badgeQuery } from "../history/queries";

const route = getRouteApi("/p/$project/r/$rev/backends/$key/badge");

/** The badge of a key, and how to show it elsewhere. */
export default function BadgeTab() {
	const { project, rev } = usePlace();
	const { key: at } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: BadgeSearch) =>
		void navigate({ search: (now) => ({ ...now, ...change }), resetScroll: false });
	const of = search.badge ?? "served";
	const follows = search.badge_at ?? "this";
	const badge: BadgeOf = {
		project,
		key: at,
		of,
		revision: follows === "latest" ? undefined : rev,
	};
	const query = useQuery(badgeQuery(badge));
	return (
		<Section
			id="badge"
			title="Badge"
			note="shows the coverage on other pages"
			actions={<CoverageLink />}
		>
			<Card>
				<div className={styles.badge}>
					<div className={styles.choices}>
						<Segments
							label="The badge counts"
							value={of}
							options={[
								{ value: "served", label: "Any kernel" },
								{ value: "kernel", label: "Own kernels" },
							]}
							onChange={(of) => set({ badge: of === "served" ? undefined : of })}
						/>
						<Segments
							label="Revision of the badge"
							value={follows}
							options={[
								{ value: "this", label: `Always ${rev}` },
								{ value: "latest", label: "Latest revision" },
							]}
							onChange={(follows) => set({ badge_at: follows === "this" ? undefined : follows })}
						/>
					</div>
					<Async query={query}>
						{({ label, message }) => <Shown badge={badge} says={`${label}: ${message}`} />}
					</Async>
				</div>
			</Card>
		</Section>
	);
}

/** The badge as it looks, and its snippets. */
function Shown({ badge, says }: { badge: BadgeOf; says: string }) {
	const image = badgePath(badge, "svg");
	const [failed, setFailed] = useState<string>();
	return (
		<>
			{failed === image ? (
				<p>
					{says}. The image cannot be shown here, because this server requires a token and an image
					request cannot send one.
				</p>
			) : (
				<img
					className={styles.image}
					src={image}
					alt={says}
					height="20"
					onError={() => setFailed(image)}
				/>
			)}
			<ul className={styles.snippets}>
				{snippets(badge, says, location.origin).map(({ name, text }) => (
					<li key={name}>
						<span className={styles.name}>{name}</span>
						<code>{text}</code>
						<Copy text={text}>Copy {name}</Copy>
					</li>
				))}
			</ul>
		</>
	);
}
