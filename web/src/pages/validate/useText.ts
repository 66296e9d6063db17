import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { ruleQuery } from "../../api/queries";
import { keepDraft, keptDraft } from "../../lib/draft";
import { fromFragment, LONGEST, toFragment } from "../../lib/fragment";
import { isChangeRule } from "../../lib/ruleset";
import { SAMPLES } from "./examples";

/** How long after the last letter the address takes the text, in milliseconds. */
const REST = 400;

const BEGINNING = SAMPLES.find(({ id }) => id === "faults")?.text ?? "";

/** The fragment of this page's address; nothing once a link leads away, even if the next page still loads. */
const hashOf = ({ pathname, hash }: { pathname: string; hash: string }) =>
	pathname === "/validate" ? hash : undefined;

interface TextState {
	/** The text; `undefined` until it is known. */
	text: string | undefined;
	/** How often it was put there from elsewhere than the editor. */
	version: number;
	/** Takes what is typed. */
	setText: (text: string) => void;
	/** Puts another text in its place. */
	replace: (text: string) => void;
	/** Why the address does not hold the text. */
	note: string | undefined;
}

/**
 * The text of the editor: that of the address's fragment, or of a rule's bad example, or what was
 * typed before the page was left, or one to begin with. The address follows while one types, without filling the history.
 */
export function useText(rule: string | undefined): TextState {
	const [text, setText] = useState<string>();
	const [version, setVersion] = useState(0);
	const [note, setNote] = useState<string>();
	const take = useCallback((text: string) => {
		keepDraft("validate", text);
		setText(text);
	}, []);
	const replace = useCallback((text: string) => {
		setText(text);
		setVersion((before) => before + 1);
	}, []);
	const hash = useRouterState({ select: ({ location }) => hashOf(location) });
	const isLeft = hash === undefined;
	const written = useRef<string>(undefined);
	const navigate = useNavigate();
	const told = useQuery({ ...ruleQuery(rule ?? ""), enabled: rule !== undefined && hash === "" });
	const example = told.data && !isChangeRule(told.data) ? told.data.bad.text : undefined;
	const awaits = rule !== undefined && told.isPending;
	useEffect(() => {
		if (hash === undefined || hash === written.current) return;
		if (hash === "" && awaits) return;
		let isLate = false;
		void fromFragment(hash).then((found) => {
			if (isLate) return;
			written.current = hash;
			setNote(
				hash !== "" && found === undefined
					? "The address does not contain a readable text."
					: undefined,
			);
			replace(found ?? example ?? keptDraft("validate") ?? BEGINNING);
		});
		return () => {
			isLate = true;
		};
	}, [hash, awaits, example, replace]);
	useEffect(() => {
		if (isLeft || text === undefined || text === (example ?? BEGINNING)) return;
		let isLate = false;
		const wait = setTimeout(async () => {
			const fragment = await toFragment(text);
			if (isLate) return;
			const fits = fragment.length <= LONGEST;
			setNote(
				fits ? undefined : "The text is too long for a link.",
			);
			const next = fits ? fragment : "";
			if (next === written.current) return;
			written.current = next;
			const options = { hash: next, search: true, replace: true, resetScroll: false } as const;
			void navigate({ to: ".", ...options, hashScrollIntoView: false });
		}, REST);
		return () => {
			isLate = true;
			clearTimeout(wait);
		};
	}, [isLeft, text, example, navigate]);
	return { text, version, setText: take, replace, note };
}
