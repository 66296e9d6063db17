import { Badge } from "../../components/Badge";
import type { ComparedOperator, Comparison } from "../../lib/comparison";

interface Props {
	compared: ComparedOperator;
	comparison: Comparison;
}

/** Torch's own verdict; it has none on what is new. */
export function OfficialVerdict({ compared, comparison }: Props) {
	if (compared.old === null) return null;
	const { name, official } = compared;
	const { official: written, official_generated: generated } = comparison;
	const of = compared.generated ? generated : written;
	return (
		<>
			<Direction
				word="backward"
				fine={!of.backward.includes(name)}
				reason={official?.backward_reason}
			/>
			<Direction
				word="forward"
				fine={!of.forward.includes(name)}
				reason={official?.forward_reason}
			/>
		</>
	);
}

interface DirectionProps {
	word: "backward" | "forward";
	fine: boolean;
	reason: string | null | undefined;
}

function Direction({ word, fine, reason }: DirectionProps) {
	return (
		<Badge tone={fine ? "good" : "error"} title={reason || undefined}>
			<span aria-hidden="true">{fine ? "✓" : "✕"}</span> torch: {word}
			<span className="visually-hidden">{fine ? " compatible" : " incompatible"}</span>
		</Badge>
	);
}
