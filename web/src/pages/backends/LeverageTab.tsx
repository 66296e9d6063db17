import { useQuery } from "@tanstack/react-query";
import { OperatorLink } from "../../components/links";
import { Section } from "../../components/Page";
import { ROW, Rows } from "../../components/Rows";
import { Async, Empty } from "../../components/States";
import { csvOf } from "../../lib/csv";
import { count, counted } from "../../lib/format";
import { someNames } from "../../lib/verdicts";
import { type Gaps, gapsQuery } from "../history/queries";
import styles from "./Gaps.module.css";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";

/** Which kernels to write next. */
export default function LeverageTab() {
	const { place, key } = useBackend();
	const gaps = useQuery(gapsQuery(place, { key }));
	const name = `${place.project}-${place.rev}-${key}-leverage.csv`;
	return <Async query={gaps}>{(gaps) => <Leverage gaps={gaps} name={name} />}</Async>;
}

/** The kernels to write next, the one that helps most first. */
function Leverage({ gaps: { leverage, key }, name }: { gaps: Gaps; name: string }) {
	if (leverage.length === 0) {
		return <Empty title="No kernel would make more operators work" />;
	}
	const sheet = () =>
		csvOf([
			["operator", "gain", "blocks", "unlocks"],
			...leverage.map((step) => [step.operator, step.gain, step.blocks, step.unlocks.join(" ")]),
		]);
	const all = leverage.reduce((sum, step) => sum + step.gain, 0);
	return (
		<Section
			id="leverage"
			title="Implement next"
			actions={<Sheet name={name} make={sheet} />}
			note={`${counted(leverage.length, "kernel")}: ${counted(all, "more operator")} work on ${key}`}
		>
			<Rows>
				<ol className={styles.leverage}>
					{leverage.map((step) => (
						<li key={step.operator} {...ROW}>
							<OperatorLink name={step.operator} /> <strong>+{count(step.gain)}</strong>
							<span className="muted">
								{" "}
								{someNames(step.unlocks)}
								{step.blocks > 0 && `; ${count(step.blocks)} more need it and others besides`}
							</span>
						</li>
					))}
				</ol>
			</Rows>
		</Section>
	);
}
