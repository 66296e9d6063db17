import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { Badge } from "../../components/Badge";
import { Copy } from "../../components/controls";
import { RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import {
	type Card,
	type Change,
	type ComparedOperator,
	type Comparison,
	disagreement,
} from "../../lib/comparison";
import { counted } from "../../lib/format";
import { AUDIENCES } from "../../lib/levels";
import { operatorPath } from "../../nav";
import styles from "./OperatorCard.module.css";
import { SideBySide } from "./SideBySide";

interface Props {
	card: Card;
	comparison: Comparison;
	/** Whether `n` and `p` are at it. */
	active: boolean;
	/** The fingerprint that the address names. */
	marked: string;
}

/** An operator with its changes of one level, its two schemas, and torch's verdict. */
export const OperatorCard = memo(function OperatorCard({
	card,
	comparison,
	active,
	marked,
}: Props) {
	const { operator, compound, changes, compared } = card;
	const against = disagreement(card);
	const isGone = compared !== undefined && compared.new === null;
	const side = isGone ? comparison.base : comparison.head;
	return (
		<article className={styles.card} aria-label={operator} data-active={active || undefined}>
			<header className={styles.head}>
				<h3>
					<OperatorName name={operator} side={side} />
				</h3>
				{compared?.generated && <Badge>generated</Badge>}
				{compared && <Verdict compared={compared} comparison={comparison} />}
				{compound && (
					<p className={styles.compound}>
						<Prose text={compound.message} />
					</p>
				)}
			</header>
			{against && <p className={styles.against}>{against}</p>}
			{compared && <SideBySide before={compared.old} after={compared.new} />}
			<ul className={styles.changes}>
				{changes.map((change) => (
					<li
						key={change.fingerprint}
						id={change.fingerprint}
						data-marked={change.fingerprint === marked || undefined}
					>
						<ChangeBody change={change} comparison={comparison} compared={compared} />
					</li>
				))}
			</ul>
		</article>
	);
});

function OperatorName({ name, side }: { name: string; side: Comparison["base"] }) {
	if (!side.project) return <code>{name}</code>;
	const place = { project: side.project, rev: side.label ?? side.revision };
	return (
		<Link to={operatorPath(place, name)} className="mono target">
			{name}
		</Link>
	);
}

/** Torch's own verdict; it has none on what is new. */
function Verdict({ compared, comparison }: { compared: ComparedOperator; comparison: Comparison }) {
	if (compared.old === null) return null;
	const { name, official } = compared;
	const { official: written, official_generated: generated } = comparison;
	const of = compared.generated ? generated : written;
	return (
		<>
			<Direction
				word="backward"
				fine={!of.backward.includes(name)}
				reason={official?.backward_reason}
			/>
			<Direction
				word="forward"
				fine={!of.forward.includes(name)}
				reason={official?.forward_reason}
			/>
		</>
	);
}

interface DirectionProps {
	word: "backward" | "forward";
	fine: boolean;
	reason: string | null | undefined;
}

function Direction({ word, fine, reason }: DirectionProps) {
	return (
		<Badge tone={fine ? "good" : "error"} title={reason || undefined}>
			<span aria-hidden="true">{fine ? "✓" : "✕"}</span> torch: {word}
			<span className="visually-hidden">{fine ? " compatible" : " incompatible"}</span>
		</Badge>
	);
}

interface BodyProps {
	change: Change;
	comparison: Comparison;
	compared: ComparedOperator | undefined;
}

function ChangeBody({ change, comparison, compared }: BodyProps) {
	const { message, rule, breaks, risks, help, exception, also, confidence } = change;
	// What is part of the schemas is marked there.
	const isOfSchema =
		compared !== undefined &&
		(compared.old ?? "").includes(change.old ?? "") &&
		(compared.new ?? "").includes(change.new ?? "");
	const isFragment = (change.old ?? change.new) !== null && !isOfSchema;
	return (
		<>
			<p className={styles.message}>
				<Prose text={message} />
			</p>
			<p className={styles.facts}>
				<RuleLink name={rule} />
				{change.keys.length > 0 && <span className={styles.keys}>{change.keys.join(", ")}</span>}
				<Line side={comparison.base} word="base" change={change} />
				<Line side={comparison.head} word="head" change={change} />
				{change.strict_level !== change.level && (
					<Badge title="Level under the profile strict">{change.strict_level} under strict</Badge>
				)}
				{confidence !== null && (
					<Badge title="The two names were paired by similarity">{confidence} % sure</Badge>
				)}
				<a
					href={`#${change.fingerprint}`}
					className={`${styles.anchor} target`}
					aria-label={`Link to ${rule}`}
				>
					#
				</a>
			</p>
			{breaks.length + risks.length > 0 && (
				<p className={styles.facts}>
					{breaks.length > 0 && (
						<span className={styles.breaks}>
							<strong>breaks</strong> {words(breaks)}
						</span>
					)}
					{risks.length > 0 && (
						<span className={styles.risks}>
							<strong>may hurt</strong> {words(risks)}
						</span>
					)}
				</p>
			)}
			{isFragment && <SideBySide before={change.old} after={change.new} />}
			{exception && (
				<p className={styles.exception} data-holds={exception.holds}>
					<strong>{exception.holds ? "Accepted" : `Exception ${exception.status}`}</strong>
					{exception.owner && ` by ${exception.owner}`}
					{exception.until && ` until ${exception.until}`}: {exception.reason}
				</p>
			)}
			{also.length > 0 && (
				<details className={styles.more}>
					<summary>Also for {counted(also.length, "other operator")}</summary>
					<p className={styles.also}>
						{also.map((name) => (
							<span key={name}>
								<OperatorName name={name} side={comparison.head} />
							</span>
						))}
					</p>
				</details>
			)}
			<details className={styles.more}>
				<summary>Why, and what to do</summary>
				<p>
					<Prose text={change.why} />
				</p>
				{help && (
					<p>
						<strong>Instead:</strong> <Prose text={help} />
					</p>
				)}
				<p className={styles.accept}>
					To accept it: <code>{change.accept}</code> <Copy text={change.accept}>Copy</Copy>
				</p>
			</details>
		</>
	);
}

const words = (audiences: readonly string[]) =>
	audiences.map((audience) => AUDIENCES[audience] ?? audience).join(", ");

interface LineProps {
	side: Comparison["base"];
	word: "base" | "head";
	change: Change;
}

/** Where it stands on a side. */
function Line({ side, word, change }: LineProps) {
	const span = word === "base" ? change.base_span : change.head_span;
	if (!span) return null;
	const text = `${word} line ${span.line}`;
	if (!side.project) return <span className={styles.line}>{text}</span>;
	const place = { project: side.project, rev: side.label ?? side.revision };
	return (
		<Link
			to={operatorPath(place, change.operator)}
			hash={`L${span.line}`}
			className={`${styles.line} target`}
		>
			{text}
		</Link>
	);
}
