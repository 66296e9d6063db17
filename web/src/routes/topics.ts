import { createRoute } from "@tanstack/react-router";
import { ahead } from "../lib/ahead";
import { topicQuery, topicsQuery } from "../api/queries";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { TOPIC_KINDS } from "../lib/topics";
import { rootRoute } from "./root";

/** The filters of the list of topics, as they are in the address. */
export interface TopicsSearch {
	q?: string | undefined;
	kind?: (typeof TOPIC_KINDS)[number] | undefined;
}

export const topicsRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/topics",
	validateSearch: (raw: Raw): TopicsSearch => ({
		q: text(raw, "q"),
		kind: oneOf(raw, "kind", TOPIC_KINDS),
	}),
	loader: (visit) => ahead(visit, topicsQuery),
	component: lazyPage(() => import("../pages/topics/Topics")),
});

export interface TopicSearch {
	/** The release whose tables a guide shows. */
	release?: string | undefined;
	/** The answers given so far: their places, in order. */
	answers?: string | undefined;
}

export const topicRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/topics/$topic",
	validateSearch: (raw: Raw): TopicSearch => ({
		release: text(raw, "release"),
		answers: text(raw, "answers"),
	}),
	loaderDeps: ({ search: { release } }) => ({ release }),
	loader: (visit) => ahead(visit, topicQuery(visit.params.topic, visit.deps.release)),
	component: lazyPage(() => import("../pages/topics/Topic")),
});
