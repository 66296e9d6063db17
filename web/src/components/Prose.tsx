import { Fragment } from "react";

import { pieces } from "../lib/prose";

/** A sentence with its code. */
export function Prose({ text }: { text: string }) {
	return pieces(text).map(({ code, text }, at) => {
		const key = `${at}`;
		return code ? <code key={key}>{text}</code> : <Fragment key={key}>{text}</Fragment>;
	});
}
