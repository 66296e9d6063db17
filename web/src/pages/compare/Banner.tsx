import { Link } from "@tanstack/react-router";
import { Badge } from "../../components/Badge";
import type { Comparison, Group } from "../../lib/comparison";
import { count, counted, shortDigest } from "../../lib/format";
import { LEVEL_LOOKS, type Level } from "../../lib/levels";
import { revisionPath } from "../../nav";
import styles from "./Banner.module.css";
import { useSubject } from "./useSubject";

interface Props {
	comparison: Comparison;
	level: Group | undefined;
	onLevel: (level: Group | undefined) => void;
}

const CONCLUSIONS: Record<string, { glyph: string; title: string }> = {
	fail: { glyph: "✕", title: "Fails" },
	warn: { glyph: "!", title: "Warns" },
	pass: { glyph: "✓", title: "Passes" },
};

const COUNTS = [
	["breaking", "breaking"],
	["forward_breaking", "forward-breaking"],
	["dangerous", "dangerous"],
	["info", "info"],
	["safe", "safe"],
] as const satisfies readonly (readonly [keyof Comparison["summary"], Level])[];

/** The verdict, with counts that filter when pressed, and torch's own. */
export function Banner({ comparison, level, onLevel }: Props) {
	const { summary, conclusion, fail_on, official, official_generated, notes } = comparison;
	const { glyph, title } = CONCLUSIONS[conclusion] ?? { glyph: "?", title: conclusion };
	const toggle = (group: Group) => onLevel(level === group ? undefined : group);
	return (
		<section className={styles.banner} data-conclusion={conclusion} aria-label="Verdict">
			<div className={styles.verdict}>
				<span className={styles.mark} aria-hidden="true">
					{glyph}
				</span>
				<div>
					<p className={styles.title}>
						{title}
						<span className={styles.profile}>
							{" "}
							under the profile {comparison.profile};{" "}
							{failsAt(fail_on)}
						</span>
					</p>
					<p>
						<Side side={comparison.base} /> <span aria-hidden="true">→</span>{" "}
						<span className="visually-hidden">to</span> <Side side={comparison.head} />
					</p>
				</div>
			</div>
			<ul className={styles.counts} aria-label="Counts by level">
				{COUNTS.map(([name, group]) => (
					<li key={group}>
						<button
							type="button"
							data-tone={LEVEL_LOOKS[group].tone}
							data-none={summary[name] === 0}
							aria-pressed={level === group}
							title={LEVEL_LOOKS[group].meaning}
							onClick={() => toggle(group)}
						>
							<strong>{count(summary[name])}</strong>
							<span>
								<span aria-hidden="true">{LEVEL_LOOKS[group].glyph}</span>{" "}
								{LEVEL_LOOKS[group].title}
							</span>
						</button>
					</li>
				))}
				{summary.excepted > 0 && (
					<li>
						<button
							type="button"
							data-tone="plain"
							aria-pressed={level === "accepted"}
							onClick={() => toggle("accepted")}
						>
							<strong>{count(summary.excepted)}</strong>
							<span>
								<span aria-hidden="true">☑</span> Accepted
							</span>
						</button>
					</li>
				)}
			</ul>
			<p className={styles.official}>
				PyTorch's own check: <strong>{counted(official.backward.length, "operator")}</strong> not
				backward compatible, <strong>{count(official.forward.length)}</strong> not forward
				compatible
				{official_generated.backward.length + official_generated.forward.length > 0 &&
					`; of generated operators ${count(official_generated.backward.length)} and ${count(official_generated.forward.length)}`}
				.
			</p>
			{notes.map((note) => (
				<p key={note} className={styles.official}>
					{note}
				</p>
			))}
		</section>
	);
}

/** At which levels a comparison fails. */
function failsAt(least: string): string {
	if (least === "never") return "no change makes it fail";
	return least === "breaking"
		? "breaking changes make it fail"
		: `${least} changes and worse make it fail`;
}

function Side({ side }: { side: Comparison["base"] }) {
	const { project, revision, title, release } = side;
	const subject = useSubject(project, side.label ?? revision);
	return (
		<span className={styles.side}>
			{project ? (
				<Link to={revisionPath({ project, rev: side.label ?? revision })}>{subject ?? title}</Link>
			) : (
				<strong>{title}</strong>
			)}{" "}
			<Badge title="Checked against this release">{release}</Badge>{" "}
			<code className={styles.digest} title={revision}>
				{shortDigest(revision)}
			</code>
		</span>
	);
}
