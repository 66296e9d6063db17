import { useId } from "react";
import { SeverityBadge } from "../../components/Badge";
import { LevelBadge } from "../../components/LevelBadge";
import { RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import type { Comparison } from "../../lib/comparison";
import { counted } from "../../lib/format";
import type { Reviewed } from "../../lib/review";
import type { Sides } from "../../lib/sides";
import { CauseDetail } from "./CauseDetail";
import styles from "./Review.module.css";

/** So many findings stand with a cause that is folded. */
const SHOWN = 2;

interface Props {
	cause: Reviewed;
	comparison: Comparison;
	texts: Sides | undefined;
	isOpen: boolean;
	onToggle: () => void;
	isViewed: boolean;
	onViewed: (isViewed: boolean) => void;
	/** The fingerprint that the address names, where it is of this cause. */
	marked: string;
}

/** A cause: a line with its level, its size and its findings, and all the rest below once unfolded. */
export function CauseCard(props: Props) {
	const { cause, comparison, texts, isOpen, onToggle, isViewed, onViewed, marked } = props;
	const id = useId();
	const { findings } = cause;
	const rule = (cause.edits[0] ?? cause.consequences[0])?.rule;
	return (
		<article
			className={styles.cause}
			aria-label={cause.title.replaceAll("`", "")}
			data-level={cause.level}
			data-viewed={isViewed || undefined}
		>
			<header className={styles.head}>
				<h3>
					<button
						type="button"
						data-cause={cause.id}
						aria-expanded={isOpen}
						aria-controls={isOpen ? id : undefined}
						onClick={onToggle}
					>
						<span className={styles.fold} aria-hidden="true">
							{isOpen ? "▾" : "▸"}
						</span>
						<span className={isOpen ? undefined : styles.title}>
							<Prose text={cause.title} />
						</span>
					</button>
				</h3>
				<span className={styles.size}>{sizeOf(cause)}</span>
				{!isOpen && rule && <RuleLink name={rule} />}
				<LevelBadge level={cause.level} />
				<label className={styles.viewed}>
					<input
						type="checkbox"
						checked={isViewed}
						onChange={(event) => onViewed(event.target.checked)}
					/>{" "}
					Viewed
				</label>
			</header>
			{findings.length > 0 && (
				<ul className={styles.findings} aria-label="New findings">
					{(isOpen ? findings : findings.slice(0, SHOWN)).map((finding) => (
						<li key={`${finding.rule} ${finding.span.line} ${finding.message}`}>
							<SeverityBadge severity={finding.severity} />{" "}
							{finding.operator && <code>{finding.operator}</code>} <Prose text={finding.message} />{" "}
							<RuleLink name={finding.rule} />{" "}
							<span className="muted num">
								{finding.file}:{finding.span.line}
							</span>
						</li>
					))}
					{!isOpen && findings.length > SHOWN && (
						<li className="muted">and {counted(findings.length - SHOWN, "more new finding")}</li>
					)}
				</ul>
			)}
			{isOpen && (
				<div id={id} className={styles.detail}>
					<CauseDetail cause={cause} comparison={comparison} texts={texts} marked={marked} />
				</div>
			)}
		</article>
	);
}

/** `3 edits, 9 consequences`; of how many operators it is, its title says. */
function sizeOf({ operators, edits, consequences }: Reviewed): string {
	const parts = [
		operators.length === 1 && edits.length > 1 && counted(edits.length, "edit"),
		consequences.length > 0 && counted(consequences.length, "consequence"),
	];
	return parts.filter((part) => part !== false).join(", ");
}
