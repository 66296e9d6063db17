import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type At, overloadsQuery } from "../../api/queries";
import type { components } from "../../api/schema";
import { Badge } from "../../components/Badge";
import { OperatorAt, OperatorLink, RuleLink } from "../../components/links";
import { Card, Facts, Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { SchemaText } from "../../components/SchemaText";
import { day } from "../../lib/format";
import { placeAddress, placeTitle, rangeTitle, type TimelinePlace } from "../../lib/history";
import { familyOf } from "../../lib/names";
import { rangeParams, historyPath, namePath, operatorPath, revisionPath } from "../../nav";
import styles from "./Operator.module.css";

type History = components["schemas"]["History"];

/** An operator that this revision does not have and others have: when it came or went, and how. */
export function Removed({ place, history }: { place: At; history: History }) {
	const { project } = place;
	const { operator } = history;
	const present = history.ranges.filter(({ key }) => (key ?? null) === null);
	const gone = history.events.filter(({ kind }) => kind === "removed").at(-1);
	const last = present.at(-1)?.to;
	const isGone = last !== undefined && last.revision !== history.to.revision;
	return (
		<Page
			title={operator}
			heading={<span className="mono">{operator}</span>}
			lead={
				<span className={styles.badges}>
					<Badge tone="warning">{isGone ? "removed" : "not in this revision"}</Badge>
					{`${project} ${place.rev} does not have this operator.`}
				</span>
			}
			actions={
				<Link to={historyPath(project, operator)} className={styles.history}>
					History
				</Link>
			}
			api={`/v1/projects/${encodeURIComponent(project)}/operators/${encodeURIComponent(operator)}/history`}
		>
			<Section title="Where it is">
				<Card>
					<Facts
						items={[
							...present.map(
								({ from, to }) =>
									[
										"In revisions",
										<span key={placeTitle(from)}>
											{rangeTitle(from, to)}
										</span>,
									] as const,
							),
							...(last
								? [
										[
											"Last declaration",
											<Link
												key="last"
												className="target"
												to={operatorPath({ project, rev: placeAddress(last) }, operator)}
											>
												{operator} in {placeTitle(last)}
											</Link>,
										] as const,
									]
								: []),
						]}
					/>
				</Card>
			</Section>
			{isGone && gone && <Going project={project} operator={operator} event={gone} />}
			<Remaining place={place} operator={operator} />
		</Page>
	);
}

interface GoingProps {
	project: string;
	operator: string;
	event: History["events"][number];
}

/** The change that removed it. */
function Going({ project, operator, event }: GoingProps) {
	const { since, rule, message, old, follows, commit, date } = event;
	const at: TimelinePlace = event;
	return (
		<Section title="How it was removed" note={`in ${placeTitle(at)}`}>
			<Card>
				<p>
					<Prose text={message} /> (<RuleLink name={rule} />)
				</p>
				{follows && (
					<p>
						It went with <OperatorAt place={{ project, rev: placeAddress(at) }} name={follows} />.
					</p>
				)}
				<p>
					<Link to={revisionPath({ project, rev: placeAddress(at) })} className="mono target">
						{placeTitle(at)}
					</Link>
					{date && <span className="muted"> {day(date)}</span>}
					{commit && <span> {commit.subject}</span>}
				</p>
				{old && <SchemaText schema={old} />}
				{since && (
					<p>
						<Link
							to="/p/$project/compare/$range"
							params={rangeParams(project, placeAddress(since), placeAddress(at))}
							search={{ q: operator }}
							className="target"
						>
							Compare {placeTitle(since)} with {placeTitle(at)}
						</Link>
					</p>
				)}
			</Card>
		</Section>
	);
}

/** The operators of its name that this revision has. */
function Remaining({ place, operator }: { place: At; operator: string }) {
	const family = familyOf(operator);
	const { data } = useQuery(overloadsQuery(place, family));
	if (!data || data.items.length === 0) return null;
	return (
		<Section title={`Other operators named ${family}`}>
			<Card>
				<ul className={styles.group}>
					{data.items.map(({ name, kind }) => (
						<li key={name}>
							<Badge>{kind}</Badge>
							<OperatorLink name={name} />
						</li>
					))}
				</ul>
				<p>
					<Link to={namePath(place, family)} className="target">
						All about {family}
					</Link>
				</p>
			</Card>
		</Section>
	);
}
