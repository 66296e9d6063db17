import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useLayoutEffect, useState } from "react";
import { Dialog } from "../components/Dialog";
import { ErrorView } from "../components/States";
import { NAV } from "../nav";
import { Help } from "./Help";
import { useGlobalKeys } from "./keys";
import { useNearestPlace } from "./place";
import { RevisionPicker } from "./RevisionPicker";
import { SearchBox } from "./SearchBox";
import { type Beginning, SearchContext, typedBefore } from "./search";
import styles from "./Shell.module.css";
import { useTheme } from "./theme";
import { useArrival } from "./useArrival";
import { useDataLinks } from "./useDataLinks";
import { useHashScroll } from "./useHashScroll";
import { useNavRow } from "./useNavRow";

const GLYPHS = { light: "☀", dark: "☾" } as const;

/** What surrounds every view: the header, the search, and the help. */
export function Shell() {
	const path = useRouterState({ select: (state) => state.location.pathname });
	const place = useNearestPlace();
	const navigate = useNavigate();
	const [open, setOpen] = useState<"search" | "help">();
	const [otherTheme, switchTheme] = useTheme();
	const [beginning, setBeginning] = useState<Beginning>({ text: "" });
	const close = () => setOpen(undefined);
	const search = (beginning: Beginning = { text: "" }) => {
		setBeginning(beginning);
		setOpen("search");
	};
	useLayoutEffect(() => {
		const typed = typedBefore();
		if (typed) search(typed);
	}, []);
	const nav = useNavRow(path, place);
	const fault = useDataLinks(path);
	useHashScroll();
	const said = useArrival();
	useGlobalKeys({
		search: () => search(),
		help: () => setOpen("help"),
		go: (letter) => {
			const item = NAV.find((item) => item.key === letter);
			const to = item?.to(place);
			if (!item || !to) return;
			if (item.outside) window.location.assign(to);
			else void navigate({ to });
		},
	});
	return (
		<>
			<a href="#main" className={styles.skip}>
				Skip to content
			</a>
			<header className={styles.header}>
				<Link to="/" className={styles.logo} aria-label="Opatlas, home">
					<img src="/favicon.svg" alt="" width="20" height="20" />
					<span>Opatlas</span>
				</Link>
				<RevisionPicker />
				<nav ref={nav} className={styles.nav} aria-label="Views">
					{NAV.map((item) => {
						const to = item.to(place);
						if (!to) return null;
						const current = item.owns(path) ? "page" : undefined;
						return item.outside ? (
							<a key={item.key} href={to}>
								{item.label}
							</a>
						) : (
							<Link key={item.key} to={to} aria-current={current}>
								{item.label}
							</Link>
						);
					})}
				</nav>
				<div className={styles.tools}>
					<button type="button" className={styles.search} onClick={() => search()}>
						<span>Search</span>
						<kbd>/</kbd>
					</button>
					<button
						type="button"
						className={styles.tool}
						onClick={switchTheme}
						aria-label={`Switch to the ${otherTheme} theme`}
						title={`Switch to the ${otherTheme} theme`}
					>
						{GLYPHS[otherTheme]}
					</button>
					<button
						type="button"
						className={styles.tool}
						onClick={() => setOpen("help")}
						aria-label="Keys"
						title="Keys"
					>
						?
					</button>
				</div>
			</header>
			<p className="visually-hidden" aria-live="polite">
				{said}
			</p>
			<main id="main" className={styles.main} tabIndex={-1}>
				{fault !== undefined && <ErrorView error={fault} />}
				<SearchContext value={search}>
					<Outlet />
				</SearchContext>
			</main>
			<Dialog open={open === "search"} label="Search" onClose={close} top>
				<SearchBox place={place} beginning={beginning} onClose={close} />
			</Dialog>
			<Dialog open={open === "help"} label="Keys" onClose={close}>
				<Help onClose={close} />
			</Dialog>
		</>
	);
}
