import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { tableQuery } from "../../api/queries";
import { Button } from "../../components/controls";
import { KeyLink, OperatorLink, TopicLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import { ReasonMark } from "../../components/ReasonMark";
import { Async } from "../../components/States";
import { VerdictMark } from "../../components/VerdictMark";
import { usePlace } from "../../layout/place";
import { originWords, outcomeWords } from "../../lib/dispatch";
import { reasonOf } from "../../lib/reasons";
import { spanWords } from "../../lib/releases";
import { supportWords } from "../../lib/verdicts";
import styles from "./ExplanationPanel.module.css";

export interface Remedy {
	edit: string;
	keys: readonly string[];
}

interface Props {
	operator: string;
	/** The key whose entry is explained. */
	at: string;
	build?: string | undefined;
	source?: "files" | undefined;
	onClose: () => void;
	/** Tries a remedy out. */
	onTry?: ((remedy: Remedy) => void) | undefined;
	/** Whether the operator is named, where it is not plain. */
	named?: boolean;
	/** Whether it stands under what it explains, and not beside it. */
	wide?: boolean;
}

/** Why one key has the entry that it has: the steps tried, and what would change the answer. */
export function ExplanationPanel(props: Props) {
	const { operator, at, build, source, onClose, onTry, named, wide } = props;
	const place = usePlace();
	const query = useQuery(tableQuery(place, operator, { key: at, explain: true, build, source }));
	const panel = useRef<HTMLElement>(null);
	useEffect(() => {
		panel.current?.scrollIntoView({ block: "nearest" });
	}, [operator, at]);
	return (
		<aside
			ref={panel}
			className={wide ? `${styles.panel} ${styles.wide}` : styles.panel}
			aria-label={`Why ${at}`}
			aria-live="polite"
		>
			<header className={styles.head}>
				<h2>
					{named && (
						<>
							<OperatorLink name={operator} /> <span className="muted">at</span>{" "}
						</>
					)}
					<KeyLink name={at} />
				</h2>
				<TopicLink name={at}>What it is</TopicLink>
				<Button onClick={onClose} aria-label="Close the explanation">
					✕
				</Button>
			</header>
			<Async query={query}>
				{({ table, training, releases }) => {
					const entry = table[0];
					const explanation = entry?.explanation;
					if (!entry || !explanation) return null;
					return (
						<>
							<p className={styles.verdict}>
								<ReasonMark reason={entry.reason} label />
								{entry.kernel && <code>{entry.kernel}</code>}
							</p>
							<p>{reasonOf(entry.reason).meaning}</p>
							{training.map((answer) => (
								<p key={answer.key}>
									<Prose text={answer.sentence} />
								</p>
							))}
							<p className={styles.verdict}>
								<VerdictMark verdict={entry.support.verdict} />
								{supportWords(entry.support, operator)}
								{entry.support.known_from && (
									<span className="muted">known from: {entry.support.known_from}</span>
								)}
							</p>
							{releases.map(({ key, spans }) => (
								<p key={key} className="muted">
									By release: {spanWords(spans)}.
								</p>
							))}
							{entry.support.chain && (
								<ol className={styles.steps} aria-label="Why it works or not">
									{entry.support.chain.map((link) => (
										<li key={`${link.key} ${link.sentence}`} data-known-from={link.known_from ?? "unknown"}>
											<span>
												<Prose text={link.sentence} />
											</span>
										</li>
									))}
								</ol>
							)}
							{entry.cause && <p className={styles.cause}>{entry.cause}</p>}
							<h3>Steps of the dispatcher</h3>
							<ol className={styles.steps}>
								{explanation.steps.map((step) => (
									<li
										key={`${step.number}${step.alias}`}
										data-decides={step.outcome === "decides" || undefined}
									>
										<ReasonMark reason={step.reason} />
										<span>
											<code>
												{step.alias ?? (step.reason === "kernel" ? entry.key : step.reason)}
											</code>
											{": "}
											{outcomeWords(step.outcome)}
											{step.backends.length > 0 && ` (${step.backends.join(", ")})`}
										</span>
									</li>
								))}
							</ol>
							{explanation.registrations.length > 0 && (
								<>
									<h3>Registrations that reach it</h3>
									<ul className={styles.registrations}>
										{explanation.registrations.map((made) => (
											<li key={`${made.key}${made.kernel}${made.origin}`}>
												<code>{made.key}</code> {made.kernel && <code>{made.kernel}</code>}
												<span className="muted">
													{originWords(made.origin)}
													{made.file && `, ${made.file}`}
													{made.span && `:${made.span.line}`}
												</span>
											</li>
										))}
									</ul>
								</>
							)}
							{explanation.remedies.length > 0 && (
								<>
									<h3>How to change it</h3>
									<ul className={styles.remedies}>
										{explanation.remedies.map((remedy) => (
											<li key={`${remedy.edit}${remedy.keys.join()}`}>
												<span>
													{remedy.edit === "register" ? "Register" : "Remove"}{" "}
													<code>{remedy.keys.join(", ")}</code>
												</span>
												<ReasonMark reason={remedy.becomes} label />
												{onTry && <Button onClick={() => onTry(remedy)}>Try</Button>}
											</li>
										))}
									</ul>
								</>
							)}
						</>
					);
				}}
			</Async>
		</aside>
	);
}
