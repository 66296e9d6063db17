import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Badge } from "../../components/Badge";
import { Copy, Select } from "../../components/controls";
import { LevelBadge } from "../../components/LevelBadge";
import { HistoryLink, RuleLink } from "../../components/links";
import { FilterBar, FoldedFilters } from "../../components/Filters";
import { Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Async, Empty } from "../../components/States";
import { counted, day } from "../../lib/format";
import {
	byKey,
	EVENT_KINDS,
	type EventKind,
	type HistoryEvent,
	type HistoryRange,
	KIND_NAMES,
	placeAddress,
	placeTitle,
	rangeTitle,
	type Step,
	steps,
	type TimelinePlace,
} from "../../lib/history";
import { LEVELS } from "../../lib/levels";
import { stringify } from "../../lib/search";
import { DECLARATIONS, historyPath, operatorPath, rangeParams, revisionPath, segment } from "../../nav";
import type { HistorySearch } from "../../routes/history";
import { SideBySide } from "../compare/SideBySide";
import { Fates } from "./Fates";
import styles from "./OperatorHistory.module.css";
import { historyQuery } from "./queries";
import { Served } from "./Served";
import { StretchSelects } from "./StretchSelects";

const route = getRouteApi("/p/$project/operators/$operator/history");

/** An operator over all revisions: what happened to it, and what served it where. */
export default function OperatorHistory() {
	const { project, operator } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: HistorySearch) =>
		void navigate({ to: ".", search: { ...search, ...change }, resetScroll: false });
	const { key, from, to } = search;
	const query = useQuery(historyQuery(project, operator, { key, from, to }));
	// The choice of keys is that of the whole history.
	const whole = useQuery(historyQuery(project, operator, {}));
	const keys = whole.data ? keysOf(whole.data.events, whole.data.ranges) : [];
	return (
		<Page
			title={`History of ${operator}`}
			heading={
				<>
					History of <span className="mono">{operator}</span>
				</>
			}
			lead={
				query.data && (
					<Lead project={project} operator={operator} ranges={query.data.ranges} to={query.data.to} />
				)
			}
			actions={
				<Copy
					text={`${location.origin}${historyPath(project, operator)}${stringify({ ...search })}`}
				>
					Copy link
				</Copy>
			}
			api={`/v1/projects/${segment(project)}/operators/${segment(operator)}/history${stringify({ key, from, to })}`}
		>
			<FilterBar>
				<FoldedFilters set={[from, to, key, search.kind].filter(Boolean).length}>
					<StretchSelects project={project} from={from} to={to} set={set} />
					<Select
						label="Key"
						any="all"
						value={search.key}
						options={keys.map((key) => ({ value: key, label: key }))}
						onChange={(key) => set({ key })}
					/>
					<Select
						label="Kind of event"
						any="all"
						value={search.kind}
						options={KIND_NAMES.map((kind) => ({ value: kind, label: EVENT_KINDS[kind] }))}
						onChange={(kind) => set({ kind: KIND_NAMES.find((known) => known === kind) })}
					/>
				</FoldedFilters>
			</FilterBar>
			<Async query={query} suggest={(name) => <HistoryLink project={project} name={name} />}>
				{(history) => (
					<>
						<Timeline
							project={project}
							operator={operator}
							events={history.events.filter(
								({ kind }) => search.kind === undefined || kind === search.kind,
							)}
							from={history.from}
							to={history.to}
							kind={search.kind}
						/>
						{search.kind === undefined && <Fates changes={history.ways ?? []} />}
						<Served project={project} ranges={history.ranges} isOpen={key !== undefined} />
					</>
				)}
			</Async>
		</Page>
	);
}

/** The keys that a history tells of: those that are served, then those of events. */
function keysOf(events: readonly HistoryEvent[], ranges: readonly HistoryRange[]): string[] {
	const keys = new Set(byKey(ranges).map(([key]) => key));
	for (const event of events) for (const key of event.keys) keys.add(key);
	return [...keys];
}

interface LeadProps {
	project: string;
	operator: string;
	ranges: readonly HistoryRange[];
	to: TimelinePlace;
}

/** Where it is there, and a way to its page. */
function Lead({ project, operator, ranges, to }: LeadProps) {
	const present = ranges.filter(({ key }) => (key ?? null) === null);
	const last = present.at(-1)?.to;
	return (
		<>
			{present.length === 0
				? "Not in these revisions."
				: `In ${project} ${present
						.map((range) => rangeTitle(range.from, range.to))
						.join(", ")}${last?.revision === to.revision ? ", the last revision" : ""}. `}
			{last && (
				<Link
					to={operatorPath({ project, rev: placeAddress(last) }, operator)}
					className={styles.more}
				>
					Open the operator in {placeTitle(last)}
				</Link>
			)}
		</>
	);
}

interface TimelineProps {
	project: string;
	operator: string;
	events: readonly HistoryEvent[];
	from: TimelinePlace;
	to: TimelinePlace;
	kind: EventKind | undefined;
}

function Timeline({ project, operator, events, from, to, kind }: TimelineProps) {
	return (
		<Section
			title="What happened"
			note={`${counted(events.length, "event")} from ${placeTitle(from)} to ${placeTitle(to)}`}
		>
			{events.length === 0 ? (
				<Empty title={kind === undefined ? "No changes" : "No events of this kind"}>
					<p>
						{kind === undefined
							? `The operator is the same in ${placeTitle(from)} and ${placeTitle(to)}.`
							: "Choose another kind of event."}
					</p>
				</Empty>
			) : (
				<ol className={styles.timeline}>
					{steps(events).map((step) => (
						<StepView
							key={`${step.place.revision} ${step.place.label}`}
							project={project}
							operator={operator}
							step={step}
						/>
					))}
				</ol>
			)}
		</Section>
	);
}

interface StepProps {
	project: string;
	operator: string;
	step: Step<HistoryEvent>;
}

function StepView({ project, operator, step: { place, events } }: StepProps) {
	const at = { project, rev: placeAddress(place) };
	const isGone = events.some(({ kind }) => kind === "removed");
	return (
		<li className={styles.step} id={placeTitle(place)}>
			<div className={styles.place}>
				<h3>
					<Link
						to={isGone ? revisionPath(at) : operatorPath(at, operator)}
						className="mono target"
					>
						{placeTitle(place)}
					</Link>
				</h3>
				{place.date && <span className="muted">{day(place.date)}</span>}
				{place.commit && <span className="muted">{place.commit.subject}</span>}
			</div>
			<ul className={styles.events}>
				{events.map((event) => (
					<li key={`${event.rule} ${event.keys.join()} ${event.names.join()} ${event.message}`}>
						<EventView project={project} operator={operator} event={event} />
					</li>
				))}
			</ul>
		</li>
	);
}

interface EventProps {
	project: string;
	operator: string;
	event: HistoryEvent;
}

function EventView({ project, operator, event }: EventProps) {
	const level = LEVELS.find((known) => known === event.level);
	const kind = KIND_NAMES.find((known) => known === event.kind);
	return (
		<>
			<p className={styles.event}>
				<Badge>{kind ? EVENT_KINDS[kind] : event.kind}</Badge>
				{level && <LevelBadge level={level} />}
				<span className={styles.message}>
					<Prose text={event.message} />
				</span>
				<RuleLink name={event.rule} />
			</p>
			{event.kind === "schema" && (
				<EventLinks project={project} operator={operator} event={event} />
			)}
			{event.follows && (
				<p className="muted">
					It follows <HistoryLink project={project} name={event.follows} />.
				</p>
			)}
			{event.kind === "schema" && event.old && event.new && (
				<SideBySide before={event.old} after={event.new} />
			)}
		</>
	);
}

/** All that changed between the two revisions, and where the operator stands in the files of each. */
function EventLinks({ project, operator, event }: EventProps) {
	const { since } = event;
	// A generated operator stands nowhere: the one that it follows does.
	const written = event.follows ?? operator;
	const sides = since ? [since, event] : [event];
	return (
		<p className={styles.ways}>
			{since && (
				<Link
					to="/p/$project/compare/$range"
					params={rangeParams(project, placeAddress(since), placeAddress(event))}
					search={{ q: written }}
					className="target"
				>
					Compare {placeTitle(since)} with {placeTitle(event)}
				</Link>
			)}
			{sides.map((place) => (
				<Link
					key={place.revision}
					to="/p/$project/r/$rev/files/$file"
					params={{ project, rev: placeAddress(place), file: DECLARATIONS }}
					search={{ operator: written }}
					className="target"
				>
					Source in {placeTitle(place)}
				</Link>
			))}
		</p>
	);
}
