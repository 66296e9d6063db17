import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { apiPath, type MatrixView, matrixQuery } from "../../api/queries";
import { KeyLink, TopicLink } from "../../components/links";
import { Page } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import tabs from "../../components/Tabs.module.css";
import { usePlace } from "../../layout/place";
import { nearest } from "../../lib/distance";
import { columnOf } from "../../lib/matrix";
import { BACKEND_TABS, backendPath, segment } from "../../nav";
import styles from "./Backend.module.css";

const route = getRouteApi("/p/$project/r/$rev/backends/$key");

/** Keeps the room of a line that is on its way. */
const ROOM = "\u00a0";

/** One key: how much of it works, in tabs that have addresses of their own. */
export default function Backend() {
	const place = usePlace();
	const { key } = route.useParams();
	const matrix = useQuery(matrixQuery(place));
	const found = matrix.data?.keys.find((item) => item.key === key);
	const current = useTab();
	const list = useRef<HTMLElement>(null);
	// On a phone the list is wider than the window.
	useEffect(() => {
		const link = list.current?.children[BACKEND_TABS.indexOf(current)];
		if (!list.current || !(link instanceof HTMLElement)) return;
		list.current.scrollLeft = link.offsetLeft - (list.current.clientWidth - link.offsetWidth) / 2;
	}, [current]);
	const rest = current.tab === "gaps" || current.tab === "leverage" ? "gaps" : "keys";
	return (
		<Page
			title={current.tab === "" ? key : `${current.label} of ${key}`}
			heading={<span className="mono target">{key}</span>}
			lead={matrix.data ? found && lead(found) : ROOM}
			actions={<TopicLink name={key}>What it is</TopicLink>}
			api={apiPath(place, `/${rest}/${segment(key)}`)}
		>
			<nav className={tabs.list} aria-label="About the backend" ref={list}>
				{BACKEND_TABS.map(({ tab, label }) => (
					<Link
						key={tab}
						to={backendPath(place, key, tab)}
						resetScroll={false}
						// The first tab's address begins those of the others.
						activeOptions={{ exact: true, includeSearch: false }}
					>
						{label}
					</Link>
				))}
			</nav>
			<Async query={matrix}>
				{(view) => (columnOf(view, key) < 0 ? <Unknown view={view} at={key} /> : <Outlet />)}
			</Async>
		</Page>
	);
}

/** The tab that is open, by the last part of the address. */
function useTab() {
	const path = useRouterState({ select: (state) => state.location.pathname });
	const last = path.split("/").at(-1);
	return BACKEND_TABS.find(({ tab }) => tab !== "" && tab === last) ?? BACKEND_TABS[0];
}

function lead({ functionality, backend }: { functionality: string; backend: string | null }) {
	return backend === null
		? `The functionality ${functionality}, which has no backends`
		: `${functionality} on ${backend}`;
}

/** How many keys are suggested for one that there is not. */
const NEAR = 12;

function Unknown({ view, at }: { view: MatrixView; at: string }) {
	const names = view.keys.map(({ key }) => key);
	const begun = at.toLowerCase().slice(0, 3);
	const alike = names.filter((key) => key.toLowerCase().includes(begun));
	const near = [...new Set([...nearest(at, names, NEAR), ...alike])].slice(0, NEAR);
	return (
		<Empty title={`Release ${view.release} has no key ${at}`}>
			{near.length > 0 && <p>Did you mean one of these?</p>}
			<p className={styles.near}>
				{near.map((key) => (
					<KeyLink key={key} name={key} />
				))}
			</p>
		</Empty>
	);
}
