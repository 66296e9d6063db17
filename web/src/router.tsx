import { createRouter } from "@tanstack/react-router";
import { ApiError } from "./api/problem";
import { ErrorView, Loading } from "./components/States";
import { NotFound } from "./layout/NotFound";
import { isPartMissing, isServerThere } from "./lib/lazyPage";
import { parse, stringify } from "./lib/search";
import { accessRoute } from "./routes/access";
import { preflightRoute, whyRoute } from "./routes/ask";
import {
	backendRoute,
	badgeTab,
	changesTab,
	coverageTab,
	formerGapsRoute,
	gapsTab,
	historyTab,
	kernelsTab,
	leverageTab,
} from "./routes/backend";
import { backendsRoute } from "./routes/backends";
import { compareRoute, comparisonRoute } from "./routes/compare";
import { coverageRoute } from "./routes/coverage";
import { docsRoute } from "./routes/docs";
import {
	operatorHistoryRoute,
	searchRoute,
	supportRoute,
	trendsRoute,
	upgradeRoute,
} from "./routes/history";
import { homeRoute } from "./routes/home";
import { nameRoute } from "./routes/name";
import { operatorRoute } from "./routes/operator";
import { operatorsRoute } from "./routes/operators";
import { probeRunRoute, probeRunsRoute } from "./routes/probe";
import {
	allComparisonsRoute,
	allOperatorsRoute,
	allProjectsRoute,
	allRevisionsRoute,
	anyOperatorRoute,
	projectRoute,
} from "./routes/project";
import {
	filesRoute,
	gapListsRoute,
	namesRoute,
	revisionRoute,
	summaryRoute,
} from "./routes/revision";
import { rootRoute } from "./routes/root";
import { ruleRoute, rulesRoute } from "./routes/rules";
import { sourceRoute } from "./routes/source";
import { topicRoute, topicsRoute } from "./routes/topics";
import { validateRoute } from "./routes/validate";

/** Every view. Whoever adds one adds its route here, and to `nav.ts` where the header names it. */
const routeTree = rootRoute.addChildren([
	homeRoute,
	revisionRoute.addChildren([
		summaryRoute,
		operatorsRoute,
		operatorRoute,
		nameRoute,
		backendsRoute,
		backendRoute.addChildren([
			coverageTab,
			kernelsTab,
			gapsTab,
			leverageTab,
			changesTab,
			historyTab,
			badgeTab,
		]),
		formerGapsRoute,
		sourceRoute,
		namesRoute,
		gapListsRoute,
		filesRoute,
	]),
	whyRoute,
	preflightRoute,
	projectRoute,
	allProjectsRoute,
	allRevisionsRoute,
	allComparisonsRoute,
	allOperatorsRoute,
	anyOperatorRoute,
	operatorHistoryRoute,
	trendsRoute,
	supportRoute,
	upgradeRoute,
	searchRoute,
	probeRunsRoute,
	probeRunRoute,
	compareRoute,
	comparisonRoute,
	validateRoute,
	rulesRoute,
	ruleRoute,
	topicsRoute,
	topicRoute,
	accessRoute,
	coverageRoute,
	docsRoute,
]);

export const router = createRouter({
	routeTree,
	// Parameters are plain texts, readable in an address; each route reads its own.
	parseSearch: parse,
	stringifySearch: stringify,
	pathParamsAllowedCharacters: [":"],
	defaultPreload: "intent",
	defaultPreloadStaleTime: 0,
	scrollRestoration: true,
	// What is open stays until the next view is there, or takes a while.
	defaultPendingMs: 150,
	defaultPendingMinMs: 0,
	defaultPendingComponent: Loading,
	defaultNotFoundComponent: NotFound,
	defaultErrorComponent: ({ error, reset }) => (
		<ErrorView error={error} retry={isLost(error) ? reloadWhenThere : reset} />
	),
});

/** Whether a part of the program did not come; it is asked for again with the whole page. */
const isLost = (error: unknown): boolean =>
	isPartMissing(error) || (error instanceof ApiError && error.status === 0);

/** Loads the page again, but only if somebody answers: the browser's own page would replace it. */
async function reloadWhenThere(): Promise<void> {
	if (await isServerThere()) location.reload();
}

declare module "@tanstack/react-router" {
	interface Register {
		router: typeof router;
	}
	interface HistoryState {
		/** The page to return to once a token is entered. */
		back?: string;
	}
}
