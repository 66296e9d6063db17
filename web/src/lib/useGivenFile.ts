import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { fromFile, type GivenFile, holdsFile, toFile } from "./givenFile";

interface Given {
	/** What is in the fields. */
	file: GivenFile;
	setFile: (file: GivenFile) => void;
	/** What is compared; nothing until somebody asks. */
	asked: GivenFile | undefined;
	/** Why the address does not hold the file. */
	unkept: string | undefined;
	/** Compares, and puts the file into the address. */
	compare: (file: GivenFile) => void;
}

/**
 * A backend file that is typed or chosen. What is compared is in the fragment, which browsers send to
 * nobody, so that an address can be shared, and a reload and Back show what they showed.
 */
export function useGivenFile(beginning: GivenFile): Given {
	const [file, setFile] = useState(beginning);
	const [asked, setAsked] = useState<GivenFile>();
	const [unkept, setUnkept] = useState<string>();
	const hash = useRouterState({ select: (state) => state.location.hash });
	const navigate = useNavigate();
	// What was put into the address here is known already, and may be too long for it.
	const own = useRef<string>(undefined);
	useEffect(() => {
		if (hash === own.current) return;
		let isLate = false;
		void fromFile(hash).then((found) => {
			if (isLate) return;
			own.current = undefined;
			setAsked(found);
			if (found) setFile(found);
			const isBroken = found === undefined && holdsFile(hash);
			setUnkept(
				isBroken
					? "The address does not contain a readable file. It may have been cut off."
					: undefined,
			);
		});
		return () => {
			isLate = true;
		};
	}, [hash]);
	const compare = useCallback(
		async (file: GivenFile) => {
			const kept = await toFile(file);
			const next = typeof kept === "string" ? kept : "";
			own.current = next;
			setAsked(file);
			setUnkept(typeof kept === "string" ? undefined : "The file is too long for a link.");
			if (next === hash) return;
			void navigate({
				to: ".",
				search: (now) => now,
				hash: next,
				resetScroll: false,
				hashScrollIntoView: false,
			});
		},
		[hash, navigate],
	);
	return { file, setFile, asked, unkept, compare: (file) => void compare(file) };
}
