import { createRouter } from "@tanstack/react-router";
import { ErrorView, Loading } from "./components/States";
import { NotFound } from "./layout/NotFound";
import { isPartMissing } from "./lib/lazyPage";
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
	// A part that did not come is asked for again with the whole page.
	defaultErrorComponent: ({ error, reset }) => (
		<ErrorView error={error} retry={isPartMissing(error) ? () => location.reload() : reset} />
	),
});

declare module "@tanstack/react-router" {
	interface Register {
		router: typeof router;
	}
}
