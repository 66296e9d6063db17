import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
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
import { offeredKeys } from "../../lib/signatures";
import { Calls } from "../operator/CallSection";
import { FoldedTable } from "../operator/FoldedTable";
import { ImplementKeys, ImplementParts } from "../operator/Implement";
import { calculationQuery, parseQuery, postedSignaturesQuery } from "./queries";
import styles from "./Validate.module.css";

/** How many operators are listed at once. */
const SHOWN = 100;

interface OfText {
	text: string;
	release: string | undefined;
}

interface OnOperator {
	/** Shows the dispatch table of an operator. */
	onTable: (operator: string) => void;
	/** Shows how an operator is called and implemented. */
	onImplement: (operator: string) => void;
}

/** What the text declares, as it was read. */
export function OperatorsTab({
	text,
	release,
	onTable,
	onImplement,
}: OfText & OnOperator) {
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
								<Declared
									key={nameOf(operator)}
									operator={operator}
									onTable={onTable}
									onImplement={onImplement}
								/>
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
	onImplement,
}: OnOperator & { operator: Operator }) {
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
				</Button>{" "}
				<Button onClick={() => onImplement(name)} aria-label={`Implement it: ${name}`}>
					Implement it
				</Button>
			</p>
		</li>
	);
}

interface OfOne extends OfText {
	operator: string | undefined;
	onOperator: (operator: string | undefined) => void;
}

/** The dispatch table of one of the operators that the text declares. */
export function DispatchTab(props: OfOne) {
	return (
		<Chosen {...props}>
			{(operator, release) => <Calculated operator={operator} release={release} />}
		</Chosen>
	);
}

interface ImplementProps extends OfOne {
	/** The dispatch key to implement it for. */
	at: string | undefined;
	onKey: (key: string) => void;
}

/** How one of the operators that the text declares is called, and implemented for a key. */
export function ImplementTab({ at, onKey, ...props }: ImplementProps) {
	return (
		<Chosen {...props}>
			{(operator, release) => (
				<Faces text={props.text} operator={operator} release={release} at={at} onKey={onKey} />
			)}
		</Chosen>
	);
}

interface FacesProps extends Pick<ImplementProps, "text" | "at" | "onKey"> {
	operator: Operator;
	release: string;
}

function Faces({ text, operator, release, at, onKey }: FacesProps) {
	const offered = offeredKeys(Object.keys(operator.dispatch));
	const key = at ?? offered[0] ?? "PrivateUse1";
	const query = useQuery({
		...postedSignaturesQuery(text, release, nameOf(operator), key),
		placeholderData: (before, query) =>
			query?.queryKey[2] === nameOf(operator) ? before : undefined,
	});
	return (
		<>
			<h2>Implement it</h2>
			<ImplementKeys keys={offered} release={release} chosen={key} onChoose={onKey} />
			<Async query={query}>
				{(signatures) => (
					<>
						{signatures.implement && (
							<ImplementParts
								parts={signatures.implement}
								entry={(name) => <code>{name}</code>}
							/>
						)}
						<h2>Call it</h2>
						<Calls signatures={signatures} />
					</>
				)}
			</Async>
		</>
	);
}

interface ChosenProps extends OfOne {
	children: (operator: Operator, release: string) => ReactNode;
}

/** A choice among the operators that the text declares, with what is to be said of the chosen one. */
function Chosen({ text, release, operator, onOperator, children }: ChosenProps) {
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
						{children(chosen, parsed.release)}
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
