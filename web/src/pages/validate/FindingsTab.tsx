import { useEffect, useRef } from "react";
import type { Finding } from "../../api/queries";
import { SeverityBadge } from "../../components/Badge";
import { Button } from "../../components/controls";
import { RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import { Empty } from "../../components/States";
import { count } from "../../lib/format";
import styles from "./Validate.module.css";

/** How many findings are listed; the margin shows them all. */
const SHOWN = 300;

interface Props {
	findings: readonly Finding[];
	/** The finding that one is at; -1 for none. */
	at: number;
	/** Whether the text has changed since, so that fixes wait for the next answer. */
	isBehind: boolean;
	onShow: (index: number) => void;
	onStep: (by: number) => void;
	onFix: (index: number) => void;
}

/** The findings in the order of the text, each with its fix. */
export function FindingsTab({ findings, at, isBehind, onShow, onStep, onFix }: Props) {
	const list = useRef<HTMLUListElement>(null);
	useEffect(() => {
		list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" });
	}, [at]);
	// The button that was pressed goes with its finding, so the focus moves on to the next one.
	const fixed = useRef(-1);
	const fix = (index: number) => {
		fixed.current = index;
		onFix(index);
	};
	const box = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (fixed.current < 0 || isBehind) return;
		const next = Math.min(fixed.current, findings.length - 1);
		fixed.current = -1;
		if (document.activeElement !== document.body) return;
		const row = list.current?.querySelector(`[data-at="${next}"]`);
		const buttons = [...(row?.querySelectorAll<HTMLElement>("button:not(:disabled)") ?? [])];
		(buttons.at(-1) ?? box.current)?.focus();
	}, [findings, isBehind]);
	if (findings.length === 0) {
		return (
			<div ref={box} tabIndex={-1}>
				<Empty title="No findings" />
			</div>
		);
	}
	return (
		<div ref={box} tabIndex={-1} className={styles.found}>
			<div className={styles.steps}>
				<Button onClick={() => onStep(-1)} aria-keyshortcuts="p">
					Previous <kbd>p</kbd>
				</Button>
				<Button onClick={() => onStep(1)} aria-keyshortcuts="n">
					Next <kbd>n</kbd>
				</Button>
				<span className="muted" role="status">
					{at >= 0 && `${count(at + 1)} of ${count(findings.length)}`}
				</span>
			</div>
			<ul className={styles.findings} ref={list} aria-label="Findings">
				{findings.slice(0, SHOWN).map((finding, index) => (
					<li
						key={`${finding.rule} ${finding.span.line}:${finding.span.column} ${finding.message}`}
						data-at={index}
						aria-current={index === at || undefined}
					>
						<div className={styles.findingHead}>
							<SeverityBadge severity={finding.severity} />
							<button type="button" className={styles.where} onClick={() => onShow(index)}>
								{finding.span.line}:{finding.span.column}
							</button>
							<RuleLink name={finding.rule} />
						</div>
						<p className={styles.message}>
							<Prose text={finding.message} />
						</p>
						{finding.help && (
							<p className={styles.help}>
								<Prose text={finding.help} />
							</p>
						)}
						{finding.fix && (
							<div className={styles.fix}>
								<Button disabled={isBehind} onClick={() => fix(index)}>
									Fix
								</Button>
								<code>{finding.fix.replacement.trim() || "remove it"}</code>
								{finding.fix.applicability === "suggested" && (
									<span className="muted">changes what is declared</span>
								)}
							</div>
						)}
					</li>
				))}
			</ul>
			{findings.length > SHOWN && (
				<p className="muted">
					{count(findings.length - SHOWN)} more are marked in the margin of the editor.
				</p>
			)}
		</div>
	);
}
