import type { TableView } from "../../api/queries";
import { Section } from "../../components/Page";
import { VerdictMark } from "../../components/VerdictMark";
import { counted } from "../../lib/format";
import { type Support, supportWords } from "../../lib/verdicts";
import styles from "./Operator.module.css";

interface Props {
	view: TableView;
	onKey: (key: string) => void;
}

const GLYPH: Record<string, string> = {
	yes: "✓",
	partly: "◐",
	no: "✕",
	"not differentiable": "–",
	unknown: "?",
};

/** Through what training works, or why it does not. */
const throughWords = ({ through, detail, not_implemented, needs }: TableView["training"][number]) => {
	if (not_implemented.length > 0) return `not implemented for ${not_implemented.join(", ")}`;
	if (needs.length > 0) return `the backward needs ${needs.join(", ")}`;
	return through === "error" ? (detail ?? "raises an error") : through;
};

/** Whether calls and training work per backend, and on a device without kernels of its own. */
export function TrainingSection({ view, onKey }: Props) {
	const supports = new Map(view.table.map(({ key, support }) => [key, support]));
	const answers = view.training;
	const known = answers.filter(({ key }) => !supports.get(key)?.unclaimed);
	const having = (works: string) => known.filter(({ key }) => supports.get(key)?.works === works);
	const [working, unknown] = [having("yes"), having("unknown")];
	const elsewhere = answers.length - known.length;
	return (
		<Section
			id="support"
			title="Works and trains"
			note={`works on ${working.length} of ${counted(known.length, "backend")}${
				unknown.length > 0 ? `; unknown on ${unknown.length}` : ""
			}${
				elsewhere > 0 ? `; ${elsewhere} live out of tree` : ""
			}`}
		>
			<ul className={styles.training}>
				{answers.map((answer) => (
					<li key={answer.key}>
						<button type="button" onClick={() => onKey(answer.key)} title={answer.sentence.replaceAll("`", "")}>
							<span className={styles.backend}>{answer.key}</span>
							<Verdict support={supports.get(answer.key)} operator={view.operator} />
							<span data-works={answer.training}>
								<span aria-hidden="true">{GLYPH[answer.training]}</span> training
								<span className="visually-hidden">: {answer.training}</span>
							</span>
							<span className={styles.through}>{throughWords(answer)}</span>
						</button>
					</li>
				))}
			</ul>
			<p className={styles.bare}>
				A bare backend, which has only the kernels that every device must have:{" "}
				<Verdict support={view.bare} operator={view.operator} />
			</p>
			{view.measured !== null && view.measured !== undefined && view.measured !== view.release && (
				<p className="muted">Calls of composite kernels as recorded with {view.measured}.</p>
			)}
		</Section>
	);
}

function Verdict({ support, operator }: { support: Support | undefined; operator: string }) {
	if (!support) return null;
	return (
		<span className={styles.verdict} title={support.settled_by ? `This would settle it: ${support.settled_by}` : support.through.join(" → ") || undefined}>
			<VerdictMark verdict={support.verdict} /> {supportWords(support, operator)}
		</span>
	);
}
