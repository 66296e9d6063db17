import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { errorOf } from "../../api/problem";
import { Segments } from "../../components/controls";
import { useNarrow } from "../../components/Filters";
import { Markdown } from "../../components/Markdown";
import { Async } from "../../components/States";
import styles from "./Choose.module.css";
import { CopyMarkdown, LONGEST } from "./CopyMarkdown";

const LOOKS = [
	{ value: "shown", label: "Preview" },
	{ value: "source", label: "Source" },
] as const;

interface Props {
	/** What the comment is of. */
	of: readonly unknown[];
	/** Asks for a part of the comment, counted from 1. */
	ask: (part: number, max_chars: number) => Promise<Response>;
}

/** The comment that would be posted, as it is shown and as it is written, beside the comparison. */
export function CommentPreview({ of, ask }: Props) {
	const [look, setLook] = useState<(typeof LOOKS)[number]["value"]>("shown");
	const [isOpen, setOpen] = useState(!useNarrow());
	const query = useQuery({
		queryKey: ["comment", ...of],
		placeholderData: keepPreviousData,
		queryFn: async () => {
			const response = await ask(1, LONGEST);
			if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
			const parts = Number(response.headers.get("x-parts") ?? 1);
			return { text: await response.text(), parts };
		},
	});
	return (
		<details
			className={styles.preview}
			open={isOpen}
			onToggle={(event) => setOpen(event.currentTarget.open)}
		>
			<summary>The comment</summary>
			<section aria-label="The comment">
				<div className={styles.actions}>
					<Segments label="Show" value={look} options={LOOKS} onChange={setLook} />
					<CopyMarkdown ask={ask} />
				</div>
				<Async query={query}>
					{({ text, parts }) => (
						<>
							{parts > 1 && <p className="muted">Part 1 of {parts}</p>}
							<div className={styles.comment} tabIndex={0} role="group" aria-label="Text">
								{look === "shown" ? <Markdown text={text} /> : <pre>{text}</pre>}
							</div>
						</>
					)}
				</Async>
			</section>
		</details>
	);
}
