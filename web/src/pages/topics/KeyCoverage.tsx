import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type At, keysQuery } from "../../api/queries";
import { Meter } from "../../components/Meter";
import { useAt, useNearestPlace } from "../../layout/place";
import { count, counted, percent } from "../../lib/format";
import { type BackendCoverage, VERDICTS } from "../../lib/verdicts";
import { keyPath } from "../../nav";
import styles from "./Topics.module.css";

/** How much works at a key in the revision that one comes from, with the way to its page. */
export function KeyCoverage({ name }: { name: string }) {
	const { at } = useAt(useNearestPlace());
	return (
		<div className={styles.coverage} aria-label="Coverage" role="group">
			{at && <InRevision at={at} name={name} />}
		</div>
	);
}

function InRevision({ at, name }: { at: At; name: string }) {
	const { data } = useQuery(keysQuery(at));
	const item = data?.find(({ key }) => key === name);
	if (!item) return null;
	const { coverage } = item;
	const page = (
		<Link to={keyPath(at, name)}>
			{name} in {at.project} {at.rev}
		</Link>
	);
	if (!coverage?.claimed) return <p>{page}</p>;
	const { working, applicable } = coverage;
	return (
		<>
			<p>
				{page}: <strong>{percent(working, applicable)}</strong> works, {count(working)} of{" "}
				{counted(applicable, "operator")}
			</p>
			<Verdicts coverage={coverage} />
		</>
	);
}

function Verdicts({ coverage: { applicable, verdicts } }: { coverage: BackendCoverage }) {
	const parts = VERDICTS.map(({ name }) => ({ part: name, count: verdicts[name] ?? 0 }));
	return <Meter parts={parts} of={applicable} />;
}
