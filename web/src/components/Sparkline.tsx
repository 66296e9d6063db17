import styles from "./Sparkline.module.css";

interface Props {
	/** From left to right. */
	values: readonly number[];
	/** The place of the value that is marked; nothing where it is not among them. */
	at: number;
	/** What it shows, for those who do not see it and in its tooltip. */
	label: string;
}

const WIDTH = 64;
const HEIGHT = 20;
/** Room for the mark. */
const EDGE = 3;

/** A small line without axes; its room is the same with nothing to draw. */
export function Sparkline({ values, at, label }: Props) {
	if (values.length < 2) return <span className={styles.line} />;
	const [low, high] = [Math.min(...values), Math.max(...values)];
	const points = values.map((value, index): [number, number] => [
		EDGE + (index / (values.length - 1)) * (WIDTH - 2 * EDGE),
		high === low
			? HEIGHT / 2
			: HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE),
	]);
	const mark = points[at];
	return (
		<svg className={styles.line} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
			<title>{label}</title>
			<polyline points={points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")} />
			{mark && <circle cx={mark[0]} cy={mark[1]} r="2.5" />}
		</svg>
	);
}
