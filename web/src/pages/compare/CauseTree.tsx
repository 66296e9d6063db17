import { useMemo, useState } from "react";
import { useNarrow } from "../../components/Filters";
import { count } from "../../lib/format";
import { LEVEL_LOOKS } from "../../lib/levels";
import { byFile, type Reviewed } from "../../lib/review";
import styles from "./Review.module.css";

/** So many causes of a file are listed before one asks for more. */
const SHOWN = 60;

interface Props {
	causes: readonly Reviewed[];
	viewed: ReadonlySet<string>;
	onGo: (cause: Reviewed) => void;
}

/** The causes by file, beside the review: what each is of, how bad it is, and whether it was viewed. */
export function CauseTree({ causes, viewed, onGo }: Props) {
	const files = useMemo(() => byFile(causes), [causes]);
	const isNarrow = useNarrow();
	if (causes.length < 2) return null;
	const tree = (
		<nav className={styles.tree} aria-label="Causes by file">
			{files.map(({ file, causes }) => (
				<details key={file} open>
					<summary>
						{file} <span className="muted num">{count(causes.length)}</span>
					</summary>
					<Branch causes={causes} viewed={viewed} onGo={onGo} />
				</details>
			))}
		</nav>
	);
	if (!isNarrow) return tree;
	return (
		<details className={styles.foldedTree}>
			<summary>Files ({count(files.length)})</summary>
			{tree}
		</details>
	);
}

function Branch({ causes, viewed, onGo }: Props) {
	const [most, setMost] = useState(SHOWN);
	return (
		<ul>
			{causes.slice(0, most).map((cause) => {
				const { glyph, title } = LEVEL_LOOKS[cause.level];
				const isViewed = viewed.has(cause.id);
				return (
					<li key={cause.id}>
						<button
							type="button"
							data-level={cause.level}
							data-viewed={isViewed || undefined}
							title={cause.title.replaceAll("`", "")}
							onClick={() => onGo(cause)}
						>
							<span aria-hidden="true">{glyph}</span>
							<span className="visually-hidden">{title}: </span>
							<span className={styles.of}>{namesOf(cause)}</span>
							{isViewed && (
								<span>
									<span aria-hidden="true">☑</span>
									<span className="visually-hidden">viewed</span>
								</span>
							)}
						</button>
					</li>
				);
			})}
			{causes.length > most && (
				<li>
					<button type="button" onClick={() => setMost(most + 4 * SHOWN)}>
						{count(causes.length - most)} more
					</button>
				</li>
			)}
		</ul>
	);
}

/** `abs` or `abs and 3 more` */
function namesOf({ operators, title }: Reviewed): string {
	const [first, ...others] = operators;
	if (first === undefined) return title.replaceAll("`", "");
	return others.length === 0 ? first : `${first} and ${count(others.length)} more`;
}
