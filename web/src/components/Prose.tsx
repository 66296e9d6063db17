import { Fragment } from "react";

/** A sentence in which what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
	return text.split("`").map((part, at) => {
		const key = `${at}`;
		return at % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
	});
}
