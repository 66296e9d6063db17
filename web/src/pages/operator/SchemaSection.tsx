import { useState } from "react";
import type { OperatorPage } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { Card, Section } from "../../components/Page";
import { TopicLink } from "../../components/links";
import { Table } from "../../components/Table";
import { SchemaText } from "../../components/SchemaText";
import { topicOfAnnotation, topicOfType } from "../../lib/topics";
import { AliasDiagram } from "./AliasDiagram";
import styles from "./Operator.module.css";

/** The schema, its alias sets, and its arguments and returns one by one. */
export function SchemaSection({ page }: { page: OperatorPage }) {
	const [marked, setMarked] = useState<string>();
	const qualified = page.namespace === "aten" ? page.schema : `${page.namespace}::${page.schema}`;
	const hasAliases = [...page.arguments, ...page.returns].some(({ annotation }) => annotation);
	return (
		<Section title="Schema">
			<Card>
				<SchemaText schema={qualified} block marked={marked} onMark={setMarked} />
				{hasAliases && <AliasDiagram page={page} marked={marked} onMark={setMarked} />}
			</Card>
			<div className={styles.tables}>
				<Table label="Arguments">
					<caption className="visually-hidden">Arguments</caption>
					<thead>
						<tr>
							<th scope="col">Argument</th>
							<th scope="col">Type</th>
							<th scope="col">Default</th>
							<th scope="col">Passing</th>
							<th scope="col">Alias</th>
						</tr>
					</thead>
					<tbody>
						{page.arguments.map((argument) => (
							<tr key={argument.name}>
								<th scope="row" className="mono">
									{argument.name}
								</th>
								<td>
									<TopicLink name={topicOfType(argument.type)}>{argument.type}</TopicLink>
								</td>
								<td className="mono">{argument.default ?? <None />}</td>
								<td>
									{argument.is_self && <Badge>self</Badge>}
									{argument.kwarg_only && <Badge>keyword only</Badge>}
									{argument.is_out && <Badge>out</Badge>}
									{!argument.is_self && !argument.kwarg_only && "positional"}
								</td>
								<td>
									<Annotation text={argument.annotation} />
								</td>
							</tr>
						))}
						{page.arguments.length === 0 && (
							<tr>
								<td colSpan={5}>No arguments.</td>
							</tr>
						)}
					</tbody>
				</Table>
				<Table label="Returns">
					<caption className="visually-hidden">Returns</caption>
					<thead>
						<tr>
							<th scope="col">Return</th>
							<th scope="col">Type</th>
							<th scope="col">Alias</th>
						</tr>
					</thead>
					<tbody>
						{page.returns.map((value, at) => (
							<tr key={at}>
								<th scope="row" className="mono">
									{value.name ?? at}
								</th>
								<td>
									<TopicLink name={topicOfType(value.type)}>{value.type}</TopicLink>
								</td>
								<td>
									<Annotation text={value.annotation} />
								</td>
							</tr>
						))}
						{page.returns.length === 0 && (
							<tr>
								<td colSpan={3}>No returns.</td>
							</tr>
						)}
					</tbody>
				</Table>
			</div>
		</Section>
	);
}

const None = () => <span className="muted">–</span>;

function Annotation({ text }: { text: string | null }) {
	if (text === null) return <None />;
	const written = text.includes("!");
	return (
		<>
			<TopicLink name={topicOfAnnotation(text)}>({text})</TopicLink> {written && <Badge tone="warning">written</Badge>}
		</>
	);
}
