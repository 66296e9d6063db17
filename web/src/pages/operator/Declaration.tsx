import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { nameOf, type OperatorPage } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { OperatorLink, TopicLink } from "../../components/links";
import { Card, Facts, Section } from "../../components/Page";
import { usePlace } from "../../layout/place";
import { filePath } from "../../nav";
import styles from "./Operator.module.css";
import { SourceView } from "./SourceView";

/** The lines that declare an operator, and the operators that share its signature. */
export function Declaration({ page }: { page: OperatorPage }) {
	const place = usePlace();
	const { source, findings, generated_from } = page;
	return (
		<div className={styles.columns}>
			<Section
				title="Declaration"
				note={
					source && (
						<Link to={filePath(place, source.file)} hash={`L${source.line}`} className="target">
							{source.file}, line {source.line}
						</Link>
					)
				}
			>
				{source ? (
					<SourceView source={source} findings={findings} />
				) : (
					<Card>
						<p className="muted">
							This operator is generated
							{generated_from && (
								<>
									{" "}
									from <OperatorLink name={generated_from} />
								</>
							)}
							.
						</p>
					</Card>
				)}
			</Section>
			<Group page={page} />
		</div>
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
