import { Badge, SeverityBadge } from "../../components/Badge";
import { LevelBadge } from "../../components/LevelBadge";
import { LEVELS } from "../../lib/levels";
import { type AnyRule, isChangeRule } from "../../lib/ruleset";

/** How bad what a rule finds is. */
export function WeightBadge({ rule }: { rule: AnyRule }) {
	if (!isChangeRule(rule)) return <SeverityBadge severity={rule.severity} />;
	const level = LEVELS.find((level) => level === rule.level);
	if (level !== undefined) return <LevelBadge level={level} />;
	return <Badge title="The level is the worst of the changes that it combines">varies</Badge>;
}
