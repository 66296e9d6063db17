import { Facts } from "../../components/Page";
import type { NewOperator } from "../../lib/review";
import { Code } from "../operator/Code";
import styles from "./Review.module.css";

const OUT_FORMS: Record<string, string> = {
	declared: "declared",
	generated: "generated",
	missing: "missing; `autogen` would add",
	"not-needed": "not needed",
};

/** What there is to know of a new operator: where it runs, how it trains, what it has and lacks. */
export function NewOperatorCard({ card }: { card: NewOperator }) {
	const { runs, fails, unknown, because, settled_by, training, trains, out_form, out, missing_tags, lacks, kernels } = card;
	const bound = [
		card.function && "function of torch",
		card.method && "method of Tensor",
	].filter((part) => part !== false);
	return (
		<section className={styles.card} aria-label={`New operator ${card.operator}`}>
			<Facts
				items={[
					["Runs on", names(runs)],
					["Fails on", names(fails)],
					...(unknown.length > 0
						? ([
								[
									"Unknown on",
									<>
										{names(unknown)} {because && `(${because})`}
										{settled_by && ` This would settle it: ${settled_by}.`}
									</>,
								],
							] as const)
						: []),
					["Training", trains ? `${training}: ${trains}` : "no: calls fail everywhere"],
					[
						"Out form",
						<>
							{(OUT_FORMS[out_form] ?? out_form).replaceAll("`", "")} {out && <code>{out}</code>}
						</>,
					],
					["Meta", onMeta(card)],
					["Python", bound.length > 0 ? bound.join(", ") : "not bound"],
					...(lacks.length > 0 ? ([["Ways to run it", lacks.join("; ")]] as const) : []),
					...(missing_tags.length > 0
						? ([["Tags of its other forms that it lacks", names(missing_tags)]] as const)
						: []),
				]}
			/>
			{kernels.map(({ keys, declaration }) => (
				<Code
					key={declaration + keys.join()}
					title={`Declaration for ${keys.join(", ")}`}
					text={declaration}
				/>
			))}
		</section>
	);
}

const onMeta = ({ runs, unknown }: NewOperator) => {
	if (runs.includes("Meta")) return "works";
	return unknown.includes("Meta") ? "unknown" : "does not work";
};

const names = (all: readonly string[]) =>
	all.length === 0 ? "none" : <span className="mono">{all.join(", ")}</span>;
