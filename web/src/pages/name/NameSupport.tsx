import { useQuery } from "@tanstack/react-query";
import { stepsQuery } from "../../api/queries";
import { KeyLink } from "../../components/links";
import { Section } from "../../components/Page";
import { Async } from "../../components/States";
import { verdictFill, VerdictLegend, VerdictMark } from "../../components/VerdictMark";
import { usePlace } from "../../layout/place";
import { placeTitle, rangeTitle, type TimelinePlace } from "../../lib/history";
import { type Stretch, stretches } from "../../lib/names";
import { verdictOf } from "../../lib/verdicts";
import { supportQuery } from "../history/queries";
import styles from "./Name.module.css";

interface Props {
	operator: string;
	/** The backends that are shown; undefined while nobody knows. */
	keys: readonly string[] | undefined;
}

/** Where an operator runs, by backend and revision. */
export function NameSupport({ operator, keys }: Props) {
	const { project } = usePlace();
	const support = useQuery({
		...supportQuery(project, operator, keys?.join(",") ?? ""),
		enabled: keys !== undefined && keys.length > 0,
	});
	const points = useQuery(stepsQuery(project));
	return (
		<Section title="Support by revision" note={operator}>
			<Async query={support}>
				{({ operators: [of] }) => (
					<Async query={points}>
						{(order) => (
							<div className={styles.strips}>
								<VerdictLegend />
								{of?.cells.map(({ key, ranges }) => (
									<Strip key={key} name={key} stretches={stretches(order, ranges)} />
								))}
								<Ends order={order} />
							</div>
						)}
					</Async>
				)}
			</Async>
		</Section>
	);
}

/** What served a key, from the first revision to the last; as wide as it lasted. */
function Strip({ name, stretches }: { name: string; stretches: readonly Stretch[] }) {
	return (
		<div className={styles.strip}>
			<span className={styles.key}>
				<KeyLink name={name} />
			</span>
			<ol aria-label={`Support on ${name}`}>
				{stretches.map((stretch) => (
					<Part key={placeTitle(stretch.from)} stretch={stretch} />
				))}
			</ol>
		</div>
	);
}

function Part({ stretch: { from, to, length, range } }: { stretch: Stretch }) {
	const title = rangeTitle(from, to);
	const verdict = range?.verdict ?? (range ? "unknown" : undefined);
	const said = verdict === undefined ? "does not exist" : verdictOf(verdict).short;
	const by = range?.kernel ? ` by ${range.kernel}` : "";
	return (
		<li
			className={`${styles.part} ${verdict === undefined ? "" : verdictFill(verdict)}`}
			title={`${title}: ${said}${by}`}
			ref={(node) => {
				// The policy forbids styles in markup.
				node?.style.setProperty("flex-grow", String(length));
			}}
		>
			{verdict === undefined ? (
				<span aria-hidden="true">–</span>
			) : (
				<VerdictMark verdict={verdict} />
			)}
			<span className={styles.since}>
				<span className="visually-hidden">
					{verdict === undefined ? "does not exist, " : ""}
					{title}
					{by}
				</span>
				<span aria-hidden="true">{placeTitle(from)}</span>
			</span>
		</li>
	);
}

/** The first and the last revision, under the strips. */
function Ends({ order }: { order: readonly TimelinePlace[] }) {
	const [first, last] = [order[0], order.at(-1)];
	if (!first || !last || first === last) return null;
	return (
		<p className={styles.ends} aria-hidden="true">
			<span>{placeTitle(first)}</span>
			<span>{placeTitle(last)}</span>
		</p>
	);
}
