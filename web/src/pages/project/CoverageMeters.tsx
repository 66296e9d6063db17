import { Link } from "@tanstack/react-router";
import type { At, KeyItem } from "../../api/queries";
import { Meter } from "../../components/Meter";
import { percent } from "../../lib/format";
import { type BackendCoverage, VERDICTS } from "../../lib/verdicts";
import { keyPath } from "../../nav";
import styles from "./Project.module.css";

/** The backends whose coverage stands in an overview. */
const MAIN = ["CPU", "CUDA", "MPS", "XPU", "XLA", "Meta", "PrivateUse1"];

/** The coverage of the main backends by verdict, each with the way to its page. */
export function CoverageMeters({ at, keys }: { at: At; keys: readonly KeyItem[] }) {
	const main = keys
		.filter(({ key }) => MAIN.includes(key))
		.sort((a, b) => MAIN.indexOf(a.key) - MAIN.indexOf(b.key));
	return (
		<ul className={styles.coverage} aria-label="Coverage">
			{main.map(
				({ key, coverage }) =>
					coverage && (
						<li key={key}>
							<Link to={keyPath(at, key)}>
								<span>{key}</span>
								{coverage.claimed ? (
									<strong>{percent(coverage.working, coverage.operators)}</strong>
								) : (
									<small>out of tree</small>
								)}
								<VerdictMeter coverage={coverage} />
							</Link>
						</li>
					),
			)}
		</ul>
	);
}

/** A bar of the verdicts, in their order. */
function VerdictMeter({ coverage: { operators, verdicts } }: { coverage: BackendCoverage }) {
	const parts = VERDICTS.map(({ name }) => ({ part: name, count: verdicts[name] ?? 0 }));
	return <Meter parts={parts} of={operators} />;
}
