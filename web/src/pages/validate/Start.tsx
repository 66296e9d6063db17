import { Button } from "../../components/controls";
import { Empty } from "../../components/States";
import { SAMPLES } from "./examples";
import styles from "./Validate.module.css";

/** Shown instead of findings while the editor is empty. */
export function Start({ onChoose }: { onChoose: (text: string) => void }) {
	return (
		<Empty title="Nothing to check yet">
			<p>
				Type or paste an entry, or only its schema. An entry begins with <code>- func: </code> and a
				schema:
			</p>
			<p>
				<code>- func: scale(Tensor self, float factor) -&gt; Tensor</code>
			</p>
			<p>Or begin with an example:</p>
			<ul className={styles.samples}>
				{SAMPLES.map(({ id, title, text }) => (
					<li key={id}>
						<Button onClick={() => onChoose(text)}>{title}</Button>
					</li>
				))}
			</ul>
		</Empty>
	);
}
