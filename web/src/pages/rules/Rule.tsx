import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ruleQuery } from "../../api/queries";
import { Copy } from "../../components/controls";
import { RuleLink } from "../../components/links";
import { Card, Facts, Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Async } from "../../components/States";
import { AUDIENCES } from "../../lib/levels";
import { type AnyRule, type ChangeRule, isChangeRule } from "../../lib/ruleset";
import styles from "./Rule.module.css";
import { WeightBadge } from "./WeightBadge";

const route = getRouteApi("/rules/$rule");

/** One rule: what it finds, why that matters, examples, and where PyTorch decides it. */
export default function Rule() {
	const { rule: id } = route.useParams();
	const query = useQuery(ruleQuery(id));
	const rule = query.data;
	return (
		<Page
			title={id}
			heading={<span className="mono">{id}</span>}
			lead={rule && <Prose text={rule.what} />}
			api={`/v1/rules/${encodeURIComponent(id)}`}
			actions={
				<>
					<Link to="/rules" search={rule ? { family: rule.family } : {}}>
						{rule ? `All rules about ${rule.family}` : "All rules"}
					</Link>
					<Copy text={`${location.origin}${location.pathname}`}>Copy link</Copy>
				</>
			}
		>
			<Async query={query} suggest={(name) => <RuleLink name={name} />}>
				{(rule) => <Told rule={rule} />}
			</Async>
		</Page>
	);
}

function Told({ rule }: { rule: AnyRule }) {
	return (
		<>
			<Card>
				<Facts items={facts(rule)} />
			</Card>
			<Section title="Why">
				<p className={styles.prose}>
					<Prose text={rule.why} />
				</p>
			</Section>
			{isChangeRule(rule) ? <OfChange rule={rule} /> : <Examples rule={rule} />}
			<Section title="Source">
				<p className={styles.source}>{rule.source}</p>
			</Section>
		</>
	);
}

function facts(rule: AnyRule): [string, ReactNode][] {
	const weight = <WeightBadge rule={rule} />;
	if (isChangeRule(rule)) {
		return [
			["Level", weight],
			["Family", rule.family],
			["PyTorch: old calls, new side", rule.official_backward],
			["PyTorch: new calls, old side", rule.official_forward],
		];
	}
	const span = rule.until === null ? `${rule.since} and later` : `${rule.since} to ${rule.until}`;
	return [
		["Severity", weight],
		["Family", rule.family],
		["Noticed", STAGES[rule.stage] ?? rule.stage],
		["Releases", span],
	];
}

/** When the fault is noticed. */
const STAGES: Record<string, string> = {
	yaml: "when the YAML is read",
	entry: "when the entry is read",
	file: "when the whole file is read",
	generate: "when operators are generated",
	group: "when variants are grouped",
	codegen: "when code is generated",
	compile: "when PyTorch is built",
	load: "when PyTorch is loaded",
	convention: "never: a convention",
};

type ValidationRule = Exclude<AnyRule, ChangeRule>;

function Examples({ rule }: { rule: ValidationRule }) {
	return (
		<Section
			title="Examples"
			actions={
				rule.bad.file === "native_functions.yaml" && (
					<Link to="/validate" search={{ rule: rule.id }}>
						Open the bad example in Validate
					</Link>
				)
			}
		>
			<div className={styles.sides}>
				<Sample title="Bad" mark="bad" text={rule.bad.text} file={rule.bad.file} />
				<Sample title="Good" mark="good" text={rule.good.text} file={rule.good.file} />
			</div>
		</Section>
	);
}

function OfChange({ rule }: { rule: ChangeRule }) {
	return (
		<>
			<Section title="Who is affected">
				<ul className={styles.audiences}>
					{Object.entries(AUDIENCES).map(([audience, words]) => {
						const breaks = rule.breaks.includes(audience);
						const risks = rule.risks.includes(audience);
						return (
							<li key={audience} data-impact={breaks ? "breaks" : risks ? "risks" : "none"}>
								<span aria-hidden="true">{breaks ? "✕" : risks ? "!" : "–"}</span>
								<span>{words}</span>
								<strong>{breaks ? "break" : risks ? "at risk" : "unhurt"}</strong>
							</li>
						);
					})}
				</ul>
			</Section>
			{rule.instead && (
				<Section title="Instead">
					<p className={styles.prose}>
						<Prose text={rule.instead} />
					</p>
				</Section>
			)}
			{rule.example && (
				<Section
					title="Example"
					actions={
						<Link to="/compare" search={{ rule: rule.id, from: "files" }}>
							Compare the two sides
						</Link>
					}
				>
					<div className={styles.sides}>
						<Sample title="Before" mark="old" text={rule.example.old} />
						<Sample title="After" mark="new" text={rule.example.new} />
					</div>
				</Section>
			)}
		</>
	);
}

interface SampleProps {
	title: string;
	mark: "bad" | "good" | "old" | "new";
	text: string;
	file?: string;
}

function Sample({ title, mark, text, file }: SampleProps) {
	return (
		<figure className={styles.sample} data-mark={mark}>
			<figcaption>
				<strong>{title}</strong>
				{file && <span className="muted">{file}</span>}
			</figcaption>
			<section className={styles.scroll} tabIndex={0} aria-label={title}>
				<pre>{text}</pre>
			</section>
		</figure>
	);
}
