import { Button } from "../../components/controls";
import { count } from "../../lib/format";
import type { Reviewed } from "../../lib/review";
import styles from "./Review.module.css";

interface Props {
	causes: readonly Reviewed[];
	viewed: ReadonlySet<string>;
	onNext: () => void;
}

/** How far the review is, always in sight, and the way to the next cause that nobody viewed. */
export function ReviewBar({ causes, viewed, onNext }: Props) {
	const done = causes.filter(({ id }) => viewed.has(id)).length;
	const isDone = done === causes.length;
	return (
		<div className={styles.bar}>
			<progress max={causes.length} value={done} aria-label="Viewed" />
			<p role="status">
				<strong>{count(done)}</strong> of {count(causes.length)} viewed
			</p>
			<Button primary={!isDone} disabled={isDone} onClick={onNext}>
				{isDone ? "All viewed" : "Next"} {!isDone && <kbd>n</kbd>}
			</Button>
		</div>
	);
}
