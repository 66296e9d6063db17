import { type ReactNode, useMemo, useState } from "react";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/controls";
import { LevelBadge } from "../../components/LevelBadge";
import { Prose } from "../../components/Prose";
import { acceptable } from "../../lib/accepting";
import type { Change, ComparedOperator, Comparison } from "../../lib/comparison";
import { count, counted } from "../../lib/format";
import { LEVELS } from "../../lib/levels";
import { alike, byOperator, type Reviewed } from "../../lib/review";
import type { Sides } from "../../lib/sides";
import { Accept } from "./Accept";
import { ChangeBody, OperatorName } from "./ChangeBody";
import { EntryDiff } from "./EntryDiff";
import { NewOperatorCard } from "./NewOperatorCard";
import { OfficialVerdict } from "./OfficialVerdict";
import styles from "./Review.module.css";
import { SideBySide } from "./SideBySide";

/** So many operators or consequences are listed before one asks for more. */
const SHOWN = 50;

interface Props {
	cause: Reviewed;
	comparison: Comparison;
	texts: Sides | undefined;
	marked: string;
}

/** All there is to know of a cause: each edited operator, what follows, and how to accept it. */
export function CauseDetail({ cause, comparison, texts, marked }: Props) {
	const compared = useMemo(
		() => new Map(comparison.operators.map((operator) => [operator.name, operator])),
		[comparison],
	);
	const cards = useMemo(
		() => new Map(cause.added.map((card) => [card.operator, card])),
		[cause.added],
	);
	const operators = useMemo(() => byOperator(cause.edits), [cause.edits]);
	const consequences = useMemo(() => alike(cause.consequences), [cause.consequences]);
	const open = acceptable([...cause.edits, ...cause.consequences]);
	const holds = (changes: readonly Change[]) =>
		changes.some(({ fingerprint }) => fingerprint === marked);
	const detail = ({ operator, changes }: { operator: string; changes: Change[] }) => (
		<Edited
			changes={changes}
			compared={compared.get(operator)}
			card={cards.get(operator)}
			comparison={comparison}
			texts={texts}
			marked={marked}
		/>
	);
	const [only, ...others] = operators;
	return (
		<>
			{only && others.length === 0 && detail(only)}
			{others.length > 0 && (
				<More
					items={operators}
					first={({ changes }) => holds(changes)}
					draw={(item) => (
						<Fold
							key={`${item.operator} ${holds(item.changes)}`}
							isMarked={holds(item.changes)}
							title={
								<>
									<code>{item.operator}</code>{" "}
									<span className="muted">
										<Prose text={item.changes[0]?.message ?? ""} />
									</span>
								</>
							}
						>
							{detail(item)}
						</Fold>
					)}
				/>
			)}
			{consequences.length > 0 && (
				<section aria-label="What follows" className={styles.follows}>
					<h4>What follows</h4>
					<More
						items={consequences}
						first={({ all }) => holds(all)}
						draw={({ first, all }) => (
							<Fold
								key={`${first.fingerprint} ${holds(all)}`}
								isMarked={holds(all)}
								title={
									<>
										<code>{all.length === 1 ? first.operator : counted(all.length, "operator")}</code>{" "}
										<Prose text={first.message} />{" "}
										{first.level !== "none" && <Level of={first} />}
									</>
								}
							>
								{all.length > 1 && (
									<p className={styles.names} tabIndex={0} aria-label="Operators" role="group">
										{all.map(({ operator }) => (
											<OperatorName key={operator} name={operator} side={comparison.head} />
										))}
									</p>
								)}
								<div
									id={holds(all) ? marked : undefined}
									data-marked={holds(all) || undefined}
									className={styles.change}
								>
									<ChangeBody
										change={all.find(({ fingerprint }) => fingerprint === marked) ?? first}
										comparison={comparison}
										compared={compared.get(first.operator)}
									/>
								</div>
							</Fold>
						)}
					/>
				</section>
			)}
			{open.length > 0 && <Accept changes={open} comparison={comparison} />}
		</>
	);
}

function Level({ of }: { of: Change }) {
	const level = LEVELS.find((known) => known === of.level);
	return level ? <LevelBadge level={level} /> : null;
}

interface EditedProps {
	changes: readonly Change[];
	compared: ComparedOperator | undefined;
	card: Reviewed["added"][number] | undefined;
	comparison: Comparison;
	texts: Sides | undefined;
	marked: string;
}

/** An edited operator: its schemas, its entry, its card where it is new, and every edit. */
function Edited({ changes, compared, card, comparison, texts, marked }: EditedProps) {
	const name = changes[0]?.operator ?? "";
	const side = compared && compared.new === null ? comparison.base : comparison.head;
	return (
		<div className={styles.edited}>
			<p className={styles.name}>
				<OperatorName name={name} side={side} />
				{compared?.generated && <Badge>generated</Badge>}
				{compared && <OfficialVerdict compared={compared} comparison={comparison} />}
			</p>
			{compared && <SideBySide before={compared.old} after={compared.new} />}
			{card && <NewOperatorCard card={card} />}
			<EntryDiff changes={changes} compared={compared} comparison={comparison} texts={texts} />
			<ul>
				{changes.map((change) => (
					<li
						key={change.fingerprint}
						id={change.fingerprint}
						data-marked={change.fingerprint === marked || undefined}
						className={styles.change}
						ref={change.fingerprint === marked ? intoView : undefined}
					>
						<ChangeBody change={change} comparison={comparison} compared={compared} />
					</li>
				))}
			</ul>
		</div>
	);
}

interface FoldProps {
	title: ReactNode;
	/** Whether the address names what is inside, which opens it and brings it into view. */
	isMarked: boolean;
	children: ReactNode;
}

/** A line that unfolds; what is inside is drawn only then. */
function Fold({ title, isMarked, children }: FoldProps) {
	const [isOpen, setOpen] = useState(isMarked);
	return (
		<details
			className={styles.item}
			open={isOpen}
			onToggle={(event) => setOpen(event.currentTarget.open)}
			ref={isMarked ? intoView : undefined}
		>
			<summary>{title}</summary>
			{isOpen && children}
		</details>
	);
}

const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: "center" });

interface MoreProps<T> {
	items: readonly T[];
	/** What comes first, so that it is listed in any case. */
	first: (item: T) => boolean;
	draw: (item: T) => ReactNode;
}

/** A list that shows more of itself when asked. */
function More<T>({ items, first, draw }: MoreProps<T>) {
	const [most, setMost] = useState(SHOWN);
	const ordered = [...items.filter(first), ...items.filter((item) => !first(item))];
	return (
		<div className={styles.more}>
			{ordered.slice(0, most).map(draw)}
			{ordered.length > most && (
				<Button onClick={() => setMost(most + 4 * SHOWN)}>
					Show {count(Math.min(4 * SHOWN, ordered.length - most))} more
				</Button>
			)}
		</div>
	);
}
