import type { OperatorPage } from "../../api/queries";
import { aliasLinks } from "../../lib/alias";
import styles from "./AliasDiagram.module.css";

const ROW = 26;
const WIDTH = 120;

interface Props {
	page: OperatorPage;
	marked: string | undefined;
	onMark: (set: string | undefined) => void;
}

/** Arguments on the left, returns on the right, and a line for each alias set that joins them. */
export function AliasDiagram({ page, marked, onMark }: Props) {
	const results = page.returns.map(({ name, annotation }, at) => ({
		name: name ?? `return ${at}`,
		annotation,
	}));
	const links = aliasLinks(page.arguments, results);
	const places = [...new Set(links.map((link) => link.argument))];
	const ends = [...new Set(links.flatMap(({ result }) => (result === null ? [] : [result])))];
	const sets = [...new Set(links.map((link) => link.set))];
	const height = Math.max(places.length, ends.length, 1) * ROW;
	const y = (at: number) => at * ROW + ROW / 2;
	const told = links.map(({ set, argument, result, write }) => {
		const name = page.arguments[argument]?.name;
		const to = result === null ? "no return" : results[result]?.name;
		return `${name} ${write ? "is written and " : ""}shares memory with ${to} (alias set ${set})`;
	});
	return (
		<figure className={styles.diagram} aria-label="Alias sets">
			<ul className={styles.side}>
				{places.map((at) => (
					<li key={at}>{page.arguments[at]?.name}</li>
				))}
			</ul>
			<svg
				width={WIDTH}
				height={height}
				viewBox={`0 0 ${WIDTH} ${height}`}
				role="img"
				aria-label={told.join("; ")}
			>
				<title>{told.join("; ")}</title>
				{links.map(({ set, argument, result, write }) => {
					const from = y(places.indexOf(argument));
					const to = result === null ? from : y(ends.indexOf(result));
					const right = result === null ? WIDTH / 2 : WIDTH - 8;
					return (
						<g
							key={`${set}${argument}${result}`}
							data-slot={sets.indexOf(set) % 5}
							data-marked={marked === set || undefined}
							onMouseEnter={() => onMark(set)}
							onMouseLeave={() => onMark(undefined)}
						>
							<path
								d={`M 8 ${from} C ${WIDTH / 2} ${from}, ${WIDTH / 2} ${to}, ${right} ${to}`}
								className={write ? styles.write : styles.read}
							/>
							<circle cx="8" cy={from} r="4" />
							{result !== null && <circle cx={right} cy={to} r="4" />}
							<text x={WIDTH / 2} y={(from + to) / 2 - 5} textAnchor="middle">
								{set}
								{write ? "!" : ""}
							</text>
						</g>
					);
				})}
			</svg>
			<ul className={styles.side}>
				{ends.map((at) => (
					<li key={at}>{results[at]?.name}</li>
				))}
				{ends.length === 0 && <li className={styles.none}>no returns</li>}
			</ul>
			<figcaption>
				{links.some(({ write }) => write) && (
					<span>
						<span className={styles.keyWrite} /> written
					</span>
				)}
				{links.some(({ write }) => !write) && (
					<span>
						<span className={styles.keyRead} /> shared
					</span>
				)}
			</figcaption>
		</figure>
	);
}
