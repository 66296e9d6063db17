import { memo } from "react";
import { Badge } from "../../components/Badge";
import { Prose } from "../../components/Prose";
import { type Card, type Comparison, disagreement } from "../../lib/comparison";
import { ChangeBody, OperatorName } from "./ChangeBody";
import styles from "./OperatorCard.module.css";
import { OfficialVerdict } from "./OfficialVerdict";
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
		<article
			className={styles.card}
			aria-label={operator}
			data-active={active || undefined}
			tabIndex={-1}
		>
			<header className={styles.head}>
				<h3>
					<OperatorName name={operator} side={side} />
				</h3>
				{compared?.generated && <Badge>generated</Badge>}
				{compared && <OfficialVerdict compared={compared} comparison={comparison} />}
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
