import type { TableView } from "../../api/queries";
import { Section } from "../../components/Page";
import styles from "./Operator.module.css";

interface Props {
	answers: TableView["training"];
	onKey: (key: string) => void;
}

const GLYPH: Record<string, string> = { yes: "✓", no: "✕", unknown: "?" };

/** Whether inference and training work per backend. */
export function TrainingSection({ answers, onKey }: Props) {
	const works = answers.filter((answer) => answer.inference === "yes").length;
	return (
		<Section title="Runs and trains" note={`runs on ${works} of ${answers.length} backends`}>
			<ul className={styles.training}>
				{answers.map((answer) => (
					<li key={answer.key}>
						<button type="button" onClick={() => onKey(answer.key)} title={answer.sentence}>
							<span className={styles.backend}>{answer.key}</span>
							<span data-works={answer.inference}>
								<span aria-hidden="true">{GLYPH[answer.inference]}</span> inference
								<span className="visually-hidden">: {answer.inference}</span>
							</span>
							<span data-works={answer.training}>
								<span aria-hidden="true">{GLYPH[answer.training]}</span> training
								<span className="visually-hidden">: {answer.training}</span>
							</span>
							<span className={styles.through}>{answer.through}</span>
						</button>
					</li>
				))}
			</ul>
		</Section>
	);
}
