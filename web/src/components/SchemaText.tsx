import { useMemo, useState } from "react";
import { aliasSlots, tokenize } from "../lib/schema";
import styles from "./SchemaText.module.css";

interface Props {
	/** Canonical schema text. */
	schema: string;
	/** Whether it breaks at arguments; else it is one line that wraps where it must. */
	block?: boolean;
	/** Whether the name is left out, where it already stands beside. */
	nameless?: boolean;
	/** The alias set to mark, where somebody else knows. */
	marked?: string | undefined;
	onMark?: ((set: string | undefined) => void) | undefined;
}

/**
 * A schema with its parts apart and each alias set in a colour of its own; pointing at one marks
 * all that share it.
 */
export function SchemaText({ schema, block = false, nameless = false, marked, onMark }: Props) {
	const tokens = useMemo(() => {
		const tokens = tokenize(schema);
		return nameless ? tokens.filter(({ kind }) => kind !== "name") : tokens;
	}, [schema, nameless]);
	const slots = useMemo(() => aliasSlots(tokens), [tokens]);
	const [own, setOwn] = useState<string>();
	const shown = marked ?? own;
	const mark = onMark ?? setOwn;
	return (
		<code className={block ? `${styles.schema} ${styles.block}` : styles.schema}>
			{tokens.map((token, at) => {
				const key = `${at}`;
				if (token.kind !== "alias") {
					return (
						<span key={key} className={styles[token.kind]}>
							{token.text}
						</span>
					);
				}
				const set = token.sets[0] ?? "";
				return (
					<span
						key={key}
						className={styles.alias}
						data-slot={slots.get(set)}
						data-write={token.write || undefined}
						data-marked={token.sets.includes(shown ?? " ") || undefined}
						title={`alias set ${token.sets.join(", ")}${token.write ? ", written" : ""}`}
						onMouseEnter={() => mark(set)}
						onMouseLeave={() => mark(undefined)}
					>
						{token.text}
					</span>
				);
			})}
		</code>
	);
}
