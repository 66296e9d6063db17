import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Operator, stepsQuery } from "../../api/queries";
import { LevelBadge } from "../../components/LevelBadge";
import { HistoryLink } from "../../components/links";
import { Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Empty, ErrorView, Loading } from "../../components/States";
import { usePlace } from "../../layout/place";
import { counted, day } from "../../lib/format";
import { placeAddress, placeTitle } from "../../lib/history";
import { LEVELS } from "../../lib/levels";
import { type FamilyStep, mergeHistories } from "../../lib/names";
import { revisionPath } from "../../nav";
import { historyQuery } from "../history/queries";
import styles from "./Name.module.css";

/** What happened to the operators of a name. */
export function NameHistory({ operators }: { operators: readonly Operator[] }) {
	const { project } = usePlace();
	const points = useQuery(stepsQuery(project));
	const queries = useQueries({
		queries: operators.map(({ name }) => historyQuery(project, name, {})),
	});
	const error = points.error ?? queries.find((query) => query.error)?.error;
	const histories = queries.flatMap((query) => query.data ?? []);
	if (error) return <ErrorView error={error} />;
	if (points.data === undefined || histories.length < operators.length) return <Loading />;
	const steps = mergeHistories(histories, points.data);
	const count = steps.reduce((sum, { events }) => sum + events.length, 0);
	return (
		<Section title="History" note={counted(count, "event")}>
			{steps.length === 0 ? (
				<Empty title="No changes">
					<p>These operators are the same in all revisions of {project}.</p>
				</Empty>
			) : (
				<ol className={styles.timeline}>
					{steps.map((step) => (
						<StepView key={placeTitle(step.place)} project={project} step={step} />
					))}
				</ol>
			)}
		</Section>
	);
}

function StepView({ project, step: { place, events } }: { project: string; step: FamilyStep }) {
	return (
		<li className={styles.step}>
			<h3>
				<Link to={revisionPath({ project, rev: placeAddress(place) })} className="mono target">
					{placeTitle(place)}
				</Link>
				{place.date && <span className="muted"> {day(place.date)}</span>}
			</h3>
			{place.commit && <p className="muted">{place.commit.subject}</p>}
			<ul>
				{events.map(({ operator, event }) => {
					const level = LEVELS.find((known) => known === event.level);
					return (
						<li key={`${operator} ${event.rule} ${event.keys.join()} ${event.message}`}>
							{level && <LevelBadge level={level} />}{" "}
							<HistoryLink project={project} name={operator} />:{" "}
							<Prose text={event.message} />
						</li>
					);
				})}
			</ul>
		</li>
	);
}
