import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Place } from "../api/queries";
import { usePlace } from "../layout/place";
import { historyPath, keyPath, operatorPath, rulePath } from "../nav";

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

/** The way to what figures of coverage mean. */
export function CoverageLink() {
	return (
		<Link to="/coverage" className="target">
			How this is counted
		</Link>
	);
}
