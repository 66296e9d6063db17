import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { topicsQuery } from "../../api/queries";
import { Button, Select } from "../../components/controls";
import { FilterBar, Passing } from "../../components/Filters";
import { Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { ROW, Rows } from "../../components/Rows";
import { SearchInput } from "../../components/SearchInput";
import { Async, Empty } from "../../components/States";
import { counted } from "../../lib/format";
import { KIND_TITLES, soughtTopics, TOPIC_KINDS, type TopicItem } from "../../lib/topics";
import { topicPath } from "../../nav";
import type { TopicsSearch } from "../../routes/topics";
import styles from "./Topics.module.css";

const route = getRouteApi("/topics");

/** All topics, by what they are about. */
export default function Topics() {
	const topics = useQuery(topicsQuery);
	return (
		<Page
			title="Topics"
			lead="What dispatch keys, fields, types and annotations mean, and which key a kernel needs."
			api="/v1/topics"
		>
			<Async query={topics}>{(items) => <Browser topics={items} />}</Async>
		</Page>
	);
}

function Browser({ topics }: { topics: readonly TopicItem[] }) {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: TopicsSearch, replace = false) =>
		void navigate({ to: ".", search: { ...search, ...change }, replace });
	const shown = soughtTopics(topics, search);
	const names = useMemo(() => topics.map(({ id }) => id), [topics]);
	return (
		<>
			<FilterBar>
				<SearchInput
					label="Words"
					placeholder="composite, out, view, …"
					names={names}
					value={search.q}
					onChange={(q) => set({ q }, true)}
				/>
				<Select
					label="Kind"
					any="all"
					value={search.kind}
					options={TOPIC_KINDS.map((kind) => ({ value: kind, label: KIND_TITLES[kind] }))}
					onChange={(kind) => set({ kind: TOPIC_KINDS.find((known) => known === kind) })}
				/>
				<Passing>
					{counted(shown.length, "topic")}
				</Passing>
			</FilterBar>
			{shown.length === 0 && (
				<Empty title="No topics match these filters">
					<Button onClick={() => void navigate({ to: ".", search: {} })}>
						Clear filters
					</Button>
				</Empty>
			)}
			<Rows>
				{TOPIC_KINDS.map((kind) => (
					<Group key={kind} kind={kind} topics={shown.filter((topic) => topic.kind === kind)} />
				))}
			</Rows>
		</>
	);
}

function Group({ kind, topics }: { kind: (typeof TOPIC_KINDS)[number]; topics: TopicItem[] }) {
	if (topics.length === 0) return null;
	return (
		<Section title={KIND_TITLES[kind]} note={counted(topics.length, "topic")}>
			<ul className={styles.list}>
				{topics.map(({ id, summary }) => (
					<li key={id} {...ROW}>
						<Link to={topicPath(id)} className="mono target">
							{id}
						</Link>
						<span className={styles.summary}>
							<Prose text={summary} />
						</span>
					</li>
				))}
			</ul>
		</Section>
	);
}
