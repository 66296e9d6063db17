import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useRouterState } from "@tanstack/react-router";
import { apiPath, type MatrixView, matrixQuery } from "../../api/queries";
import { KeyLink, TopicLink } from "../../components/links";
import { Page } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import tabs from "../../components/Tabs.module.css";
import { usePlace } from "../../layout/place";
import { columnOf } from "../../lib/matrix";
import { BACKEND_TABS, backendPath, segment } from "../../nav";
import styles from "./Backend.module.css";

const route = getRouteApi("/p/$project/r/$rev/backends/$key");

/** One key: how much of it works, in tabs that have addresses of their own. */
export default function Backend() {
	const place = usePlace();
	const { key } = route.useParams();
	const matrix = useQuery(matrixQuery(place));
	const found = matrix.data?.keys.find((item) => item.key === key);
	const current = useTab();
	const rest = current.tab === "gaps" || current.tab === "leverage" ? "gaps" : "keys";
	return (
		<Page
			title={current.tab === "" ? key : `${current.label} of ${key}`}
			heading={<span className="mono target">{key}</span>}
			lead={found && lead(found)}
			actions={<TopicLink name={key}>What it is</TopicLink>}
			api={apiPath(place, `/${rest}/${segment(key)}`)}
		>
			<nav className={tabs.list} aria-label="About the backend">
				{BACKEND_TABS.map(({ tab, label }) => (
					<Link
						key={tab}
						to={backendPath(place, key, tab)}
						resetScroll={false}
						aria-current={tab === current.tab ? "page" : undefined}
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

function Unknown({ view, at }: { view: MatrixView; at: string }) {
	const near = view.keys.filter(({ key }) =>
		key.toLowerCase().includes(at.toLowerCase().slice(0, 3)),
	);
	return (
		<Empty title={`Release ${view.release} has no key ${at}`}>
			{near.length > 0 && <p>Did you mean one of these?</p>}
			<p className={styles.near}>
				{near.slice(0, 12).map(({ key }) => (
					<KeyLink key={key} name={key} />
				))}
			</p>
		</Empty>
	);
}
