import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/problem";
import { apiPath, nameOf, type OperatorPage, operatorQuery, type TableView, tableQuery } from "../../api/queries";
import { Badge, SeverityBadge } from "../../components/Badge";
import { Copy } from "../../components/controls";
import { OperatorLink, RuleLink } from "../../components/links";
import { Later } from "../../components/Later";
import { Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Async, Loading } from "../../components/States";
import { usePlace } from "../../layout/place";
import { familyOf } from "../../lib/names";
import { historyPath, namePath, operatorPath, segment } from "../../nav";
import type { OperatorSearch } from "../../routes/operator";
import { historyQuery } from "../history/queries";
import { CallSection } from "./CallSection";
import { Declaration } from "./Declaration";
import { DispatchSection, trial } from "./DispatchSection";
import { DtypesSection } from "./DtypesSection";
import { ExplanationPanel } from "./ExplanationPanel";
import { ImplementSection } from "./ImplementSection";
import panels from "./ExplanationPanel.module.css";
import styles from "./Operator.module.css";
import { Removed } from "./Removed";
import { SchemaSection } from "./SchemaSection";
import { SupportStrip } from "./SupportStrip";
import { WaysSection } from "./WaysSection";
import { WhatIf } from "./WhatIf";

const route = getRouteApi("/p/$project/r/$rev/operators/$operator");

/** One operator: where it runs and why, what it declares, and what would change that. */
export default function OperatorView() {
	const place = usePlace();
	const { operator } = route.useParams();
	const search = route.useSearch();
	const { build, source } = search;
	// Where the explained key was chosen: among the backends, or in the dispatch table.
	const [isFromTable, setFromTable] = useState(false);
	const query = useQuery(operatorQuery(place, operator));
	const table = useQuery(tableQuery(place, operator, { build, source }));
	const isMissing = query.error instanceof ApiError && query.error.status === 404;
	// What this revision does not have another one may have.
	const past = useQuery({ ...historyQuery(place.project, operator, {}), enabled: isMissing });
	if (query.error instanceof ApiError && (query.error.problem.overloads ?? []).length > 0) {
		// A base name has a page of its own.
		return <Navigate to={namePath(place, operator)} replace />;
	}
	if (past.data) return <Removed place={place} history={past.data} />;
	return (
		<Page
			title={operator}
			heading={<span className="mono">{operator}</span>}
			lead={!query.error && <Lead page={query.data} view={table.data} />}
			actions={
				<>
					<Link to={namePath(place, familyOf(operator))} className={styles.history}>
						All overloads
					</Link>
					<Link to={historyPath(place.project, operator)} className={styles.history}>
						History
					</Link>
					<Copy text={`${location.origin}${operatorPath(place, operator)}`}>Copy link</Copy>
				</>
			}
			api={apiPath(place, `/operators/${segment(operator)}`)}
		>
			{!query.error && (
				<Answers
					operator={operator}
					table={table}
					isFromTable={isFromTable}
					onChoose={() => setFromTable(false)}
				/>
			)}
			{isMissing && past.isPending ? (
				<Loading />
			) : (
				<Async
					query={query}
					loading={<div className={styles.room} />}
					suggest={(name) => <OperatorLink name={name} />}
				>
					{(page) => (
						<Body
							page={page}
							table={table}
							isFromTable={isFromTable}
							onChoose={() => setFromTable(true)}
						/>
					)}
				</Async>
			)}
		</Page>
	);
}

/** Where it runs, in a sentence, and what it is. */
function Lead({ page, view }: { page: OperatorPage | undefined; view: TableView | undefined }) {
	return (
		<div className={styles.lead}>
			<p className={styles.summary}>{view?.summary}</p>
			<p className={styles.badges}>
				{page && (
					<>
						<Badge tone="accent">{page.kind}</Badge>
						{page.structured && <Badge tone="accent">structured</Badge>}
						{page.generated && <Badge>generated</Badge>}
						{page.is_view && <Badge>view</Badge>}
						{page.namespace !== "aten" && <Badge tone="info">{page.namespace}</Badge>}
						{page.tags.map((tag) => (
							<TagLink key={tag} tag={tag} />
						))}
					</>
				)}
			</p>
		</div>
	);
}

function TagLink({ tag }: { tag: string }) {
	const place = usePlace();
	return (
		<Link
			to="/p/$project/r/$rev/operators"
			params={{ project: place.project, rev: place.rev }}
			search={{ tag }}
			title="Show all operators with this tag"
		>
			<Badge>{tag}</Badge>
		</Link>
	);
}

/** What of the address is changed without moving the window. */
function useChange(): (change: OperatorSearch) => void {
	const navigate = route.useNavigate();
	return (change) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, ...change }),
			resetScroll: false,
		});
}

interface PartProps {
	table: UseQueryResult<TableView>;
	isFromTable: boolean;
	/** Is told that a key is chosen here. */
	onChoose: () => void;
}

/** Whether the explained key is one of a backend. */
const isBackend = (table: PartProps["table"], key: string | undefined) =>
	key !== undefined && table.data?.training.some((answer) => answer.key === key) === true;

/** The backends and the ways, with the explanation of a backend under them. */
function Answers({ operator, table, isFromTable, onChoose }: PartProps & { operator: string }) {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const change = useChange();
	const { key, build, source } = search;
	return (
		<>
			<div className={styles.answers}>
				<SupportStrip
					query={table}
					chosen={key}
					onKey={(next) => {
						onChoose();
						change({ key: next === key ? undefined : next });
					}}
				/>
				<WaysSection operator={operator} />
			</div>
			{key !== undefined && table.isPending && <div className={panels.room} />}
			{key !== undefined && !isFromTable && isBackend(table, key) && (
				<ExplanationPanel
					operator={operator}
					at={key}
					build={build}
					source={source}
					onClose={() => change({ key: undefined })}
					onTry={(remedy) =>
						void navigate({
							to: ".",
							search: (now) => ({ ...now, ...trial(search, remedy) }),
							hash: "what-if",
						})
					}
					wide
				/>
			)}
		</>
	);
}

function Body({ page, table, isFromTable, onChoose }: PartProps & { page: OperatorPage }) {
	const search = route.useSearch();
	const set = useChange();
	const operator = nameOf(page);
	return (
		<>
			<SchemaSection page={page} />
			{page.findings.length > 0 && <Findings page={page} />}
			<Later>
				<CallSection operator={operator} />
				<ImplementSection page={page} search={search} onChange={set} />
				<Async query={table}>
					{(view) => (
						<Later>
							<DispatchSection
								operator={operator}
								view={view}
								search={search}
								isExplained={isFromTable || !isBackend(table, search.key)}
								onChange={(change) => {
									if ("key" in change) onChoose();
									set(change);
								}}
							/>
						</Later>
					)}
				</Async>
				<WhatIf page={page} search={search} onChange={set} />
				<DtypesSection operator={operator} />
				<Declaration page={page} />
			</Later>
		</>
	);
}

function Findings({ page }: { page: OperatorPage }) {
	return (
		<Section title="Findings" note="in this entry">
			<ul className={styles.findings}>
				{page.findings.map((finding) => (
					<li key={`${finding.rule}${finding.span.line}${finding.span.column}`}>
						<SeverityBadge severity={finding.severity} />
						<span className={styles.message}>
							<Prose text={finding.message} />
						</span>
						<RuleLink name={finding.rule} />
						{finding.help && (
							<span className={styles.help}>
								<Prose text={finding.help} />
							</span>
						)}
					</li>
				))}
			</ul>
		</Section>
	);
}
