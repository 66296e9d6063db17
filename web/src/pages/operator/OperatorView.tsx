import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../../api/problem";
import { apiPath, nameOf, type OperatorPage, operatorQuery, tableQuery } from "../../api/queries";
import { Badge, SeverityBadge } from "../../components/Badge";
import { Copy } from "../../components/controls";
import { OperatorLink, RuleLink, TopicLink } from "../../components/links";
import { Card, Facts, Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Async, Loading } from "../../components/States";
import { usePlace } from "../../layout/place";
import { familyOf } from "../../lib/names";
import { filePath, historyPath, namePath, operatorPath, segment } from "../../nav";
import type { OperatorSearch } from "../../routes/operator";
import { historyQuery } from "../history/queries";
import { CallSection } from "./CallSection";
import { DispatchSection } from "./DispatchSection";
import { DtypesSection } from "./DtypesSection";
import { ImplementSection } from "./ImplementSection";
import styles from "./Operator.module.css";
import { Removed } from "./Removed";
import { SchemaSection } from "./SchemaSection";
import { SourceView } from "./SourceView";
import { TrainingSection } from "./TrainingSection";
import { WaysSection } from "./WaysSection";
import { WhatIf } from "./WhatIf";

const route = getRouteApi("/p/$project/r/$rev/operators/$operator");

/** One operator: what it declares, where it runs and why, and what would change that. */
export default function OperatorView() {
	const place = usePlace();
	const { operator } = route.useParams();
	const query = useQuery(operatorQuery(place, operator));
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
			lead={query.data && <Lead page={query.data} />}
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
			{isMissing && past.isPending ? (
				<Loading />
			) : (
				<Async query={query} suggest={(name) => <OperatorLink name={name} />}>
					{(page) => <Body page={page} />}
				</Async>
			)}
		</Page>
	);
}

function Lead({ page }: { page: OperatorPage }) {
	return (
		<span className={styles.badges}>
			<Badge tone="accent">{page.kind}</Badge>
			{page.structured && <Badge tone="accent">structured</Badge>}
			{page.generated && <Badge>generated</Badge>}
			{page.is_view && <Badge>view</Badge>}
			{page.namespace !== "aten" && <Badge tone="info">{page.namespace}</Badge>}
			{page.tags.map((tag) => (
				<TagLink key={tag} tag={tag} />
			))}
		</span>
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

function Body({ page }: { page: OperatorPage }) {
	const place = usePlace();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: OperatorSearch) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, ...change }),
			resetScroll: false,
		});
	const { build, source } = search;
	const table = useQuery(tableQuery(place, nameOf(page), { build, source }));
	return (
		<>
			<SchemaSection page={page} />
			{page.findings.length > 0 && <Findings page={page} />}
			<Async query={table}>
				{(view) => (
					<>
						<TrainingSection view={view} onKey={(key) => set({ key })} />
						<WaysSection operator={nameOf(page)} />
						<DispatchSection operator={nameOf(page)} view={view} search={search} onChange={set} />
					</>
				)}
			</Async>
			<WhatIf page={page} search={search} onChange={set} />
			<CallSection operator={nameOf(page)} />
			<DtypesSection operator={nameOf(page)} />
			<ImplementSection page={page} search={search} onChange={set} />
			<div className={styles.columns}>
				<Section
					title="Declaration"
					note={
						page.source && (
							<Link
								to={filePath(place, page.source.file)}
								hash={`L${page.source.line}`}
								className="target"
							>
								{page.source.file}, line {page.source.line}
							</Link>
						)
					}
				>
					{page.source ? (
						<SourceView source={page.source} findings={page.findings} />
					) : (
						<Card>
							<p className="muted">
								This operator is generated
								{page.generated_from && (
									<>
										{" "}
										from <OperatorLink name={page.generated_from} />
									</>
								)}
								.
							</p>
						</Card>
					)}
				</Section>
				<Group page={page} />
			</div>
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

/** The value of a field, which leads to what the field means. */
const field = (name: string, value: string) => (
	<TopicLink key={name} name={name}>
		{value}
	</TopicLink>
);

function Group({ page }: { page: OperatorPage }) {
	const others = page.autogen.filter((name) => !page.group.some((member) => member.name === name));
	const facts: [string, ReactNode][] = [
		["Variants", field("variants", page.variants.join(", ") || "none")],
		["Device check", field("device_check", page.device_check)],
		["Device guard", field("device_guard", page.device_guard ? "yes" : "no")],
	];
	const { python_module, category_override, structured_inherits } = page;
	if (python_module) facts.push(["Python module", field("python_module", python_module)]);
	if (category_override) facts.push(["Category", field("category_override", category_override)]);
	if (structured_inherits) {
		facts.push(["Inherits", field("structured_inherits", structured_inherits)]);
	}
	if (page.structured_delegate) {
		facts.push(["Delegates to", <OperatorLink key="d" name={page.structured_delegate} />]);
	}
	if (page.generated_from) {
		facts.push(["Generated from", <OperatorLink key="g" name={page.generated_from} />]);
	}
	return (
		<Section title="Group" note="variants that share the signature">
			<Card>
				<ul className={styles.group}>
					{page.group.map((member) => (
						<li key={member.name} aria-current={member.name === nameOf(page) || undefined}>
							<Badge>{member.kind}</Badge>
							<OperatorLink name={member.name} />
						</li>
					))}
					{others.map((name) => (
						<li key={name}>
							<Badge>generated</Badge>
							<OperatorLink name={name} />
						</li>
					))}
				</ul>
				<Facts items={facts} />
			</Card>
		</Section>
	);
}
