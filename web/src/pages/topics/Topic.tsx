import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { topicQuery } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { Copy } from "../../components/controls";
import { RuleLink, TopicLink } from "../../components/links";
import { Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Async } from "../../components/States";
import { KIND_TITLES, type Topic as TopicView } from "../../lib/topics";
import { segment } from "../../nav";
import { Guide } from "./Guide";
import { KeyCoverage } from "./KeyCoverage";
import styles from "./Topics.module.css";

const route = getRouteApi("/topics/$topic");

/** One topic: what it means, where the README and torchgen differ, and examples. */
export default function Topic() {
	const { topic: id } = route.useParams();
	const search = route.useSearch();
	const query = useQuery(topicQuery(id, search.release));
	const topic = query.data;
	return (
		<Page
			title={topic?.id ?? id}
			heading={<span className="mono target">{topic?.id ?? id}</span>}
			lead={topic && <Prose text={topic.summary} />}
			api={`/v1/topics/${segment(id)}`}
			actions={
				<>
					<Link to="/topics" search={topic ? { kind: topic.kind } : {}}>
						{topic ? KIND_TITLES[topic.kind] : "All topics"}
					</Link>
					<Copy text={`${location.origin}${location.pathname}`}>Copy link</Copy>
				</>
			}
		>
			<Async query={query} suggest={(name) => <TopicLink name={name}>{name}</TopicLink>}>
				{(topic) => <Body topic={topic} />}
			</Async>
		</Page>
	);
}

function Body({ topic }: { topic: TopicView }) {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const hasReleases = topic.kind === "type" || topic.kind === "dispatch-key";
	const isPartial = topic.since !== "2.0" || topic.until !== null;
	return (
		<>
			{hasReleases && isPartial && (
				<p>
					<Badge tone="info">
						{topic.until === null
							? `since PyTorch ${topic.since}`
							: `PyTorch ${topic.since} to ${topic.until}`}
					</Badge>
				</p>
			)}
			{topic.kind === "dispatch-key" && <KeyCoverage name={topic.id} />}
			<div className={styles.prose}>
				{topic.body.map((text) => (
					<p key={text}>
						<Prose text={text} />
					</p>
				))}
			</div>
			{topic.guide && (
				<Guide
					guide={topic.guide}
					answers={search.answers}
					onAnswers={(answers) =>
						void navigate({
							to: ".",
							search: { ...search, answers },
							resetScroll: false,
						})
					}
				/>
			)}
			{topic.differs && (
				<Section title="README and torchgen">
					<p className={styles.differs}>
						<Prose text={topic.differs} />
					</p>
				</Section>
			)}
			{topic.examples.length > 0 && <Examples topic={topic} />}
			{topic.see.length > 0 && (
				<Section title="See also">
					<ul className={styles.see}>
						{topic.see.map((name) => (
							<li key={name}>
								<TopicLink name={name}>{name}</TopicLink>
							</li>
						))}
					</ul>
				</Section>
			)}
		</>
	);
}

function Examples({ topic }: { topic: TopicView }) {
	return (
		<Section title="Examples">
			<div className={styles.examples}>
				{topic.examples.map(({ yaml, accepted, rule }) => (
					<figure key={yaml} className={styles.example} data-accepted={accepted}>
						<figcaption>
							{accepted ? "Accepted" : "Rejected"}
							{rule && <RuleLink name={rule} />}
							<Copy text={yaml}>Copy</Copy>
						</figcaption>
						<section tabIndex={0} aria-label={accepted ? "Accepted" : "Rejected"}>
							<pre>{yaml.trimEnd()}</pre>
						</section>
					</figure>
				))}
			</div>
		</Section>
	);
}
