import { Link } from "@tanstack/react-router";
import type { At, KeyItem } from "../../api/queries";
import { Meter } from "../../components/Meter";
import { count, counted, percent } from "../../lib/format";
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
							<Link to={keyPath(at, key)} title={coverage.claimed ? countsOf(coverage) : undefined}>
								<span>{key}</span>
								{coverage.claimed ? (
									<strong>{percent(coverage.working, coverage.applicable)}</strong>
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

/** `2,199 of 2,405 operators work; 185 belong to other backends` */
function countsOf({ working, applicable, other_backends }: BackendCoverage): string {
	const others = other_backends > 0 ? `; ${count(other_backends)} belong to other backends` : "";
	return `${count(working)} of ${counted(applicable, "operator")} work${others}`;
}

/** A bar of the verdicts, in their order. */
function VerdictMeter({ coverage: { applicable, verdicts } }: { coverage: BackendCoverage }) {
	const parts = VERDICTS.map(({ name }) => ({ part: name, count: verdicts[name] ?? 0 }));
	return <Meter parts={parts} of={applicable} />;
}
