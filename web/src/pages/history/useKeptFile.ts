import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { keepDraft, keptDraft } from "../../lib/draft";
import { fromFile, type GivenFile, holdsFile, readFile, toFile, writtenFile } from "../../lib/givenFile";

interface Kept {
	/** What is in the fields. */
	file: GivenFile;
	setFile: (file: GivenFile) => void;
	/** What is compared; nothing until somebody asks. */
	asked: GivenFile | undefined;
	compare: (file: GivenFile) => void;
	/** A link that holds the file, for somebody else; nothing where the file is too long for one. */
	link: string | undefined;
	/** That a link was given whose file cannot be read. */
	isBroken: boolean;
}

/** The file that was compared last in this window. */
function keptFile(): GivenFile | undefined {
	const kept = keptDraft("upgrade");
	return kept === undefined ? undefined : readFile(kept);
}

/**
 * A backend file that is typed or chosen. This window keeps what is compared, so that the address
 * stays short; a link for others holds the file in its fragment, which browsers send to nobody.
 */
export function useKeptFile(beginning: GivenFile): Kept {
	const hash = useRouterState({ select: (state) => state.location.hash });
	const isGiven = holdsFile(hash);
	const [asked, setAsked] = useState(() => (isGiven ? undefined : keptFile()));
	const [file, setFile] = useState(asked ?? beginning);
	const [isBroken, setBroken] = useState(false);
	const navigate = useNavigate();
	const compare = (file: GivenFile) => {
		keepDraft("upgrade", writtenFile(file));
		setBroken(false);
		setAsked(file);
	};
	useEffect(() => {
		if (!isGiven) return;
		let isLate = false;
		void fromFile(hash).then((found) => {
			if (isLate) return;
			setBroken(found === undefined);
			if (!found) return;
			keepDraft("upgrade", writtenFile(found));
			setFile(found);
			setAsked(found);
			void navigate({ to: ".", search: true, hash: "", replace: true, resetScroll: false });
		});
		return () => {
			isLate = true;
		};
	}, [hash, isGiven, navigate]);
	const link = useLink(asked);
	return { file, setFile, asked, compare, link, isBroken };
}

/** The address of the page with the file in its fragment. */
function useLink(file: GivenFile | undefined): string | undefined {
	const href = useRouterState({ select: (state) => state.location.href });
	const [fragment, setFragment] = useState<string>();
	useEffect(() => {
		if (!file) return;
		let isLate = false;
		void toFile(file).then((kept) => {
			if (!isLate) setFragment(typeof kept === "string" ? kept : undefined);
		});
		return () => {
			isLate = true;
		};
	}, [file]);
	if (!file || fragment === undefined) return undefined;
	const url = new URL(href, location.origin);
	url.hash = fragment;
	return url.href;
}
