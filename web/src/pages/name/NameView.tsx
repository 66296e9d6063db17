import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { apiPath, type Operator, overloadsQuery } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { Copy } from "../../components/controls";
import { HistoryLink, OperatorLink } from "../../components/links";
import { Page, Section } from "../../components/Page";
import { SchemaText } from "../../components/SchemaText";
import { Async, Empty } from "../../components/States";
import { usePlace } from "../../layout/place";
import { counted } from "../../lib/format";
import { familyOf, kindsOf, mainOf } from "../../lib/names";
import { filePath, namePath } from "../../nav";
import { DtypesSection } from "../operator/DtypesSection";
import { NameAnswers } from "./NameAnswers";
import { NameCalls } from "./NameCalls";
import { NameHistory } from "./NameHistory";
import styles from "./Name.module.css";

const route = getRouteApi("/p/$project/r/$rev/names/$name");

/** How many operators of a name are asked about one by one. */
const ASKED = 12;

/** All operators of a base name: their schemas, where they run, how they are called, their past. */
export default function NameView() {
	const { name } = route.useParams();
	const place = usePlace();
	const family = familyOf(name);
	const functional = useQuery(overloadsQuery(place, family));
	const inplace = useQuery(overloadsQuery(place, `${family}_`));
	const found = [...(functional.data?.items ?? []), ...(inplace.data?.items ?? [])];
	return (
		<Page
			title={family}
			heading={<span className="mono">{family}</span>}
			lead={
				found.length > 0 && `${counted(found.length, "operator")} of this name: ${kindsOf(found)}.`
			}
			actions={<Copy text={`${location.origin}${namePath(place, family)}`}>Copy link</Copy>}
			api={apiPath(place, `/operators?base_name=${encodeURIComponent(family)}`)}
		>
			<Async query={functional} loading={<div className={styles.room} />}>
				{() => (
					<Async query={inplace} loading={<div className={styles.room} />}>
						{() =>
							found.length === 0 ? (
								<Empty title={`${place.rev} has no operator of this name`} />
							) : (
								<Family operators={found} />
							)
						}
					</Async>
				)}
			</Async>
		</Page>
	);
}

function Family({ operators }: { operators: readonly Operator[] }) {
	const written = operators.filter(({ generated }) => !generated);
	const asked = (written.length > 0 ? written : operators).slice(0, ASKED);
	return (
		<>
			<NameAnswers operators={asked} />
			<Overloads operators={operators} />
			<NameCalls operators={asked} />
			<DtypesSection operator={(mainOf(asked) ?? asked[0])?.name ?? ""} />
			<NameHistory operators={asked} />
		</>
	);
}

function Overloads({ operators }: { operators: readonly Operator[] }) {
	const { project } = usePlace();
	return (
		<Section title="Overloads" note="with in-place and out forms">
			<ul className={styles.overloads}>
				{operators.map((operator) => (
					<li key={operator.name}>
						<p className={styles.line}>
							<OperatorLink name={operator.name} />
							<Badge tone="accent">{operator.kind}</Badge>
							{operator.structured && <Badge tone="accent">structured</Badge>}
							{operator.generated && <Badge>generated</Badge>}
							<span className={styles.ways}>
								<SourceLink operator={operator} />
								<HistoryLink project={project} name={operator.name}>
									History<span className="visually-hidden"> of {operator.name}</span>
								</HistoryLink>
							</span>
						</p>
						<SchemaText schema={operator.schema} />
					</li>
				))}
			</ul>
		</Section>
	);
}

function SourceLink({ operator: { name, file, span } }: { operator: Operator }) {
	const place = usePlace();
	if (!file || !span) return null;
	return (
		<Link to={filePath(place, file)} hash={`L${span.line}`} className="mono target">
			line {span.line}
			<span className="visually-hidden"> declares {name}</span>
		</Link>
	);
}
