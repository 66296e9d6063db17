import { Button, Copy } from "../../components/controls";
import { TopicLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { ReasonMark } from "../../components/ReasonMark";
import { follow, type Guide as GuideData, type GuideOutcome } from "../../lib/topics";
import styles from "./Topics.module.css";

interface Props {
	guide: GuideData;
	/** The answers given so far. */
	answers: string | undefined;
	onAnswers: (answers: string | undefined) => void;
}

/** Questions about a kernel, one after the other, and what they end in. */
export function Guide({ guide, answers, onAnswers }: Props) {
	const way = follow(guide, answers);
	const given = way.passed.map(({ answer }) => answer);
	const keep = (places: number[]) => onAnswers(places.length > 0 ? places.join(".") : undefined);
	return (
		<Section title="Find the key" note="the address keeps the answers">
			<ol className={styles.steps} aria-label="Answers">
				{way.passed.map(({ question, answer }, at) => (
					<li key={question.id}>
						<span>{question.text}</span>
						<strong>{question.answers[answer]?.text}</strong>
						<Button
							onClick={() => keep(given.slice(0, at))}
							aria-label={`Change the answer to: ${question.text}`}
						>
							Change
						</Button>
					</li>
				))}
			</ol>
			{way.question && (
				<Card>
					<fieldset className={styles.question} aria-live="polite">
						<legend>{way.question.text}</legend>
						<p>
							<Prose text={way.question.help} />
						</p>
						<div className={styles.answers}>
							{way.question.answers.map(({ text }, at) => (
								<Button key={text} onClick={() => keep([...given, at])}>
									{text}
								</Button>
							))}
						</div>
					</fieldset>
				</Card>
			)}
			{way.outcome && <Outcome outcome={way.outcome} />}
		</Section>
	);
}

function Outcome({ outcome }: { outcome: GuideOutcome }) {
	return (
		<section className={styles.outcome} aria-label="Result" aria-live="polite">
			<h3>{outcome.title}</h3>
			<p className={styles.prose}>
				<Prose text={outcome.text} />
			</p>
			<figure className={styles.example} data-accepted="true">
				<figcaption>
					native_functions.yaml
					<Copy text={outcome.yaml}>Copy</Copy>
				</figcaption>
				<section tabIndex={0} aria-label="Entry">
					<pre>{outcome.yaml.trimEnd()}</pre>
				</section>
			</figure>
			<section className={styles.scroll} tabIndex={0} aria-label="Its dispatch table">
				<table className={styles.table}>
					<caption>Its dispatch table</caption>
					<thead>
						<tr>
							<th scope="col">Kernel</th>
							<th scope="col">Why</th>
							<th scope="col">Keys</th>
						</tr>
					</thead>
					<tbody>
						{outcome.table.map(({ keys, kernel, reason }) => (
							<tr key={`${reason} ${kernel}`}>
								<th scope="row">
									<code>{kernel ?? "–"}</code>
								</th>
								<td>
									<ReasonMark reason={reason} label />
								</td>
								<td className={styles.keys}>
									{keys.map((key) => (
										<TopicLink key={key} name={key}>
											{key}
										</TopicLink>
									))}
								</td>
							</tr>
						))}
					</tbody>
				</table>
			</section>
		</section>
	);
}
