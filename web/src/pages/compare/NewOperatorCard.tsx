import { Fragment } from "react";
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

/** A new operator with its new variants: where it runs, how it trains, what it has and lacks. */
export function NewOperatorCard({ card }: { card: NewOperator }) {
	const { runs, fails, unknown, because, settled_by, out_form, out, variants, missing_tags, lacks, kernels } = card;
	const bound = [
		card.function && "function of torch",
		card.method && "method of Tensor",
	].filter((part) => part !== false);
	return (
		<section className={styles.card} aria-label={`New operator ${card.operator}`}>
			<Facts
				items={[
					...(variants.length > 0 ? ([["With", <Variants all={variants} />]] as const) : []),
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
					["Training", onTraining(card)],
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

/** The new variants, with the backends on which they fail although the operator works. */
const Variants = ({ all }: { all: NewOperator["variants"] }) =>
	all.map(({ operator, fails }, at) => (
		<Fragment key={operator}>
			{at > 0 && ", "}
			<code>{operator}</code>
			{fails.length > 0 && ` (fails on ${fails.join(", ")})`}
		</Fragment>
	));

const onTraining = ({ training, trains }: NewOperator) => {
	if (training === "not applicable") return "not applicable to out variants";
	return trains ? `${training}: ${trains}` : "no: calls fail everywhere";
};

const onMeta = ({ runs, unknown }: NewOperator) => {
	if (runs.includes("Meta")) return "works";
	return unknown.includes("Meta") ? "unknown" : "does not work";
};

const names = (all: readonly string[]) =>
	all.length === 0 ? "none" : <span className="mono">{all.join(", ")}</span>;
