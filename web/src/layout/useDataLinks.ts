import { useEffect, useState } from "react";
import { raw } from "../api/client";
import { errorOf } from "../api/problem";
import { currentToken } from "../api/token";
import { save } from "../lib/download";

/**
 * Links to the API cannot send a token. Where one is kept, a click on such a link asks for the data
 * with the token: JSON is shown, all else is saved. Gives what it failed with, until the next click or
 * another view.
 */
export function useDataLinks(path: string): unknown {
	const [error, setError] = useState<unknown>();
	useEffect(() => {
		const click = (event: MouseEvent) => {
			if (event.defaultPrevented || event.button !== 0) return;
			if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
			const link = (event.target as Element).closest("a");
			if (!link || link.origin !== location.origin || !link.pathname.startsWith("/v1/")) return;
			if (!currentToken()) return;
			event.preventDefault();
			setError(undefined);
			void open(link).catch(setError);
		};
		document.addEventListener("click", click);
		return () => document.removeEventListener("click", click);
	}, []);
	useEffect(() => setError(undefined), [path]);
	return error;
}

async function open(link: HTMLAnchorElement): Promise<void> {
	const response = await raw(link.pathname + link.search, {});
	if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
	const content = await response.blob();
	if (!link.hasAttribute("download") && content.type.startsWith("application/json")) {
		location.assign(URL.createObjectURL(content));
		return;
	}
	const last = decodeURIComponent(link.pathname.split("/").at(-1) ?? "");
	save(content, link.download || last);
}
