import { Link } from "@tanstack/react-router";
import { Badge } from "../../components/Badge";
import { Copy } from "../../components/controls";
import { RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import type { Change, ComparedOperator, Comparison } from "../../lib/comparison";
import { counted } from "../../lib/format";
import { AUDIENCES } from "../../lib/levels";
import { DECLARATIONS, filePath, operatorPath } from "../../nav";
import styles from "./OperatorCard.module.css";
import { SideBySide } from "./SideBySide";

/** The beginning of the names of tags, which are declared in a file of their own. */
const TAG = "torch.Tag.";

/** An operator by name, with a link to its page if the side is stored; a tag links to its file. */
export function OperatorName({ name, side }: { name: string; side: Comparison["base"] }) {
	if (!side.project) return <code>{name}</code>;
	const place = { project: side.project, rev: side.label ?? side.revision };
	return (
		<Link
			to={name.startsWith(TAG) ? filePath(place, "tags.yaml") : operatorPath(place, name)}
			className="mono target"
		>
			{name}
		</Link>
	);
}

interface BodyProps {
	change: Change;
	comparison: Comparison;
	compared: ComparedOperator | undefined;
}

/** A change: what it is, whom it affects, where it stands, why it matters, and how to accept it. */
export function ChangeBody({ change, comparison, compared }: BodyProps) {
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
					<Badge title="The two names were paired by similarity">{confidence}% sure</Badge>
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
							<strong>may affect</strong> {words(risks)}
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
	const isDeclared = change.file === DECLARATIONS;
	const text = `${word} line ${span.line}${isDeclared ? "" : ` of ${change.file}`}`;
	if (!side.project) return <span className={styles.line}>{text}</span>;
	const place = { project: side.project, rev: side.label ?? side.revision };
	return (
		<Link
			to={isDeclared ? operatorPath(place, change.operator) : filePath(place, change.file)}
			hash={`L${span.line}`}
			className={`${styles.line} target`}
		>
			{text}
		</Link>
	);
}
