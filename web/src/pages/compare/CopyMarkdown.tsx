import { useState } from "react";
import { errorOf } from "../../api/problem";
import { Button } from "../../components/controls";
import { copyText } from "../../lib/copy";

/** As long as a part of the comment is at most, in letters: a little less than GitHub takes. */
export const LONGEST = 65_000;

interface Props {
	/** Asks for a part of the report, counted from 1. */
	ask: (part: number, max_chars: number) => Promise<Response>;
}

/** Copies the report as Markdown; where it is longer than a comment may be, part by part. */
export function CopyMarkdown({ ask }: Props) {
	const [part, setPart] = useState(1);
	const [said, setSaid] = useState<string>();
	const copy = async () => {
		try {
			const response = await ask(part, LONGEST);
			if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
			const parts = Number(response.headers.get("x-parts") ?? 1);
			await copyText(await response.text());
			setSaid(parts > 1 ? `Copied part ${part} of ${parts}` : "Copied");
			setPart(part < parts ? part + 1 : 1);
		} catch (error) {
			setSaid(error instanceof Error ? error.message : String(error));
		}
	};
	return (
		<>
			<Button onClick={() => void copy()}>
				{part > 1 ? `Copy part ${part} of the comment` : "Copy as comment"}
			</Button>
			<span role="status" className="muted">
				{said}
			</span>
		</>
	);
}
