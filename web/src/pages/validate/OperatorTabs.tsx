import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Entry, Operator } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { Button, Select } from "../../components/controls";
import { Facts } from "../../components/Page";
import { ReasonMark } from "../../components/ReasonMark";
import { SchemaText } from "../../components/SchemaText";
import { Async, Empty } from "../../components/States";
import { fold } from "../../lib/dispatch";
import { count } from "../../lib/format";
import { reasonOf } from "../../lib/reasons";
import { FoldedTable } from "../operator/FoldedTable";
import { calculationQuery, parseQuery } from "./queries";
import styles from "./Validate.module.css";

/** How many operators are listed at once. */
const SHOWN = 100;

interface OfText {
	text: string;
	release: string | undefined;
}

/** What the text declares, as it was read. */
export function OperatorsTab({
	text,
	release,
	onTable,
}: OfText & { onTable: (operator: string) => void }) {
	const query = useQuery({ ...parseQuery(text, release), placeholderData: keepPreviousData });
	return (
		<Async query={query}>
			{({ operators }) =>
				operators.length === 0 ? (
					<NothingRead />
				) : (
					<>
						<ul className={styles.operators} aria-label="Operators">
							{operators.slice(0, SHOWN).map((operator) => (
								<Declared key={nameOf(operator)} operator={operator} onTable={onTable} />
							))}
						</ul>
						{operators.length > SHOWN && (
							<p className="muted">{count(operators.length - SHOWN)} more are not listed.</p>
						)}
					</>
				)
			}
		</Async>
	);
}

const nameOf = ({ namespace, name }: Operator) =>
	namespace === "aten" ? name : `${namespace}::${name}`;

function NothingRead() {
	return (
		<Empty title="No operators could be read">
			<p>See the findings for the reasons.</p>
		</Empty>
	);
}

function Declared({
	operator,
	onTable,
}: {
	operator: Operator;
	onTable: (operator: string) => void;
}) {
	const name = nameOf(operator);
	const dispatch = Object.entries(operator.dispatch);
	return (
		<li>
			<div className={styles.findingHead}>
				<strong className="mono">{name}</strong>
				<Badge>{operator.kind}</Badge>
				{operator.structured && <Badge tone="accent">structured</Badge>}
				{operator.generated && <Badge>generated</Badge>}
				{operator.is_view && <Badge tone="info">view</Badge>}
			</div>
			<SchemaText schema={operator.schema} />
			<Facts
				items={[
					["Variants", operator.variants.join(", ") || "–"],
					["Tags", operator.tags.join(", ") || "–"],
					[
						"Kernels",
						dispatch.length === 0 ? (
							"–"
						) : (
							<ul key="kernels">
								{dispatch.map(([key, kernel]) => (
									<li key={key} className={styles.kernel}>
										<span>{key}</span> <code>{kernel}</code>
									</li>
								))}
							</ul>
						),
					],
				]}
			/>
			<p>
				<Button onClick={() => onTable(name)} aria-label={`Dispatch table of ${name}`}>
					Dispatch table
				</Button>
			</p>
		</li>
	);
}

/** The dispatch table of one of the operators that the text declares. */
export function DispatchTab({
	text,
	release,
	operator,
	onOperator,
}: OfText & { operator: string | undefined; onOperator: (operator: string | undefined) => void }) {
	const query = useQuery({ ...parseQuery(text, release), placeholderData: keepPreviousData });
	return (
		<Async query={query}>
			{(parsed) => {
				const chosen =
					parsed.operators.find((one) => nameOf(one) === operator) ?? parsed.operators[0];
				if (!chosen) return <NothingRead />;
				return (
					<div className={styles.table}>
						<Select
							label="Operator"
							value={nameOf(chosen)}
							options={parsed.operators.map((one) => ({ value: nameOf(one), label: nameOf(one) }))}
							onChange={onOperator}
						/>
						<Calculated operator={chosen} release={parsed.release} />
					</div>
				);
			}}
		</Async>
	);
}

function Calculated({ operator, release }: { operator: Operator; release: string }) {
	const query = useQuery(calculationQuery(operator, release));
	const [key, setKey] = useState<string>();
	return (
		<Async query={query}>
			{(view) => <Folded table={view.table} chosen={key} onKey={setKey} />}
		</Async>
	);
}

interface FoldedProps {
	table: readonly Entry[];
	chosen: string | undefined;
	onKey: (key: string | undefined) => void;
}

function Folded({ table, chosen, onKey }: FoldedProps) {
	const rows = useMemo(() => fold(table), [table]);
	const entry = table.find(({ key }) => key === chosen);
	return (
		<>
			<p className="muted">
				Computed from the registrations that the text declares and those that PyTorch generates.
				Select a key for details.
			</p>
			{entry && (
				<div className={styles.why} role="status">
					<strong className="mono">{entry.key}</strong>
					<ReasonMark reason={entry.reason} label />
					<p>{reasonOf(entry.reason).meaning}</p>
					{entry.kernel && (
						<p>
							<code>{entry.kernel}</code>, registered to{" "}
							<code>{entry.source_key ?? entry.key}</code>
						</p>
					)}
				</div>
			)}
			<FoldedTable
				rows={rows}
				chosen={chosen}
				onKey={(key) => onKey(key === chosen ? undefined : key)}
			/>
		</>
	);
}
