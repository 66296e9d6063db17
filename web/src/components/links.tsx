import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Place, topicsQuery } from "../api/queries";
import { usePlace } from "../layout/place";
import { historyPath, keyPath, operatorPath, rulePath, topicPath } from "../nav";

interface Props {
	name: string;
	children?: ReactNode;
}

/** An operator of the revision in view. */
export function OperatorLink({ name, children }: Props) {
	return (
		<Link to={operatorPath(usePlace(), name)} className="mono target">
			{children ?? name}
		</Link>
	);
}

/** An operator of a revision that is not in view. */
export function OperatorAt({ place, name }: { place: Place; name: string }) {
	return (
		<Link to={operatorPath(place, name)} className="mono target">
			{name}
		</Link>
	);
}

/** The history of an operator. */
export function HistoryLink({ project, name, children }: Props & { project: string }) {
	return (
		<Link to={historyPath(project, name)} className="mono target">
			{children ?? name}
		</Link>
	);
}

/** A key of the revision in view. */
export function KeyLink({ name, children }: Props) {
	return (
		<Link to={keyPath(usePlace(), name)} className="mono target">
			{children ?? name}
		</Link>
	);
}

/** A rule, where it is told of. */
export function RuleLink({ name }: { name: string }) {
	return (
		<Link to={rulePath(name)} className="mono target">
			{name}
		</Link>
	);
}

/**
 * What explains a key, field, type or annotation: its page, and its summary when one points at it.
 * What has no topic stays text.
 */
export function TopicLink({ name, children }: { name: string; children: ReactNode }) {
	const { data: topics } = useQuery(topicsQuery);
	const topic = topics?.find(({ id, names }) => id === name || names.includes(name));
	if (topic === undefined) return <span className="mono">{children}</span>;
	return (
		<Link
			to={topicPath(topic.id)}
			className="mono target"
			title={topic.summary.replaceAll("`", "")}
		>
			{children}
		</Link>
	);
}

/** How an operator of a revision is implemented for a key. */
export function ImplementLink({ place, name, at }: { place: Place; name: string; at: string }) {
	return (
		<Link
			to="/p/$project/r/$rev/operators/$operator"
			params={{ project: place.project, rev: place.rev, operator: name }}
			search={{ implement: at }}
			hash="implement"
			className="target"
			aria-label={`Implement it: ${name} for ${at}`}
		>
			Implement it
		</Link>
	);
}

/** The way to what figures of coverage mean. */
export function CoverageLink() {
	return (
		<Link to="/coverage" className="target">
			How this is counted
		</Link>
	);
}
