import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { raw } from "../../api/client";
import { errorOf } from "../../api/problem";
import { contentPath, type MatrixView } from "../../api/queries";
import { Segments, Select } from "../../components/controls";
import { GeneratedSelect } from "../../components/Facets";
import { FilterBar, FoldedFilters } from "../../components/Filters";
import { OperatorLink } from "../../components/links";
import { Section } from "../../components/Page";
import { ReasonMark } from "../../components/ReasonMark";
import { SearchInput } from "../../components/SearchInput";
import { Empty } from "../../components/States";
import { VerdictMark } from "../../components/VerdictMark";
import { VirtualList } from "../../components/VirtualList";
import { standingAt, verdictIn } from "../../lib/coverage";
import { counted } from "../../lib/format";
import { cellAt, filtered, type MatrixOperator, sought } from "../../lib/matrix";
import { stringify } from "../../lib/search";
import { VERDICTS } from "../../lib/verdicts";
import { segment } from "../../nav";
import { type KernelsSearch, STANDINGS } from "../../routes/backend";
import styles from "./Backend.module.css";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";

const route = getRouteApi("/p/$project/r/$rev/backends/$key/kernels");

const SHOWN = {
	all: "All",
	direct: "Own kernels",
	inherited: "Work otherwise",
	missing: "Fail",
	unknown: "Unknown",
	other: "Other backends",
} as const;

/** The operators of a revision, each with what serves it at a key. */
export default function KernelsTab() {
	const { place, key, view, column } = useBackend();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: KernelsSearch, replace = false) =>
		void navigate({ search: (now) => ({ ...now, ...change }), replace, resetScroll: false });
	const { generated, show, verdict, q } = search;
	const operators = useMemo(() => filtered(view, { generated }), [view, generated]);
	const shown = useMemo(() => {
		const fitting = operators.filter(
			(operator) =>
				(show === undefined || standingAt(view, operator, column) === show) &&
				(verdict === undefined || verdictIn(view, operator, key)?.name === verdict),
		);
		return sought(fitting, q);
	}, [view, operators, column, key, show, verdict, q]);
	const sheet = async () => {
		const query = stringify({ generated, verdict, release: place.release });
		const path = contentPath(place, `/keys/${segment(key)}${query}`);
		const response = await raw(path, { headers: { accept: "text/csv" } });
		if (!response.ok) throw errorOf(response, await response.json().catch(() => undefined));
		return response.blob();
	};
	const chosen = [verdict, generated].filter((value) => value !== undefined).length;
	return (
		<Section
			title="Operators"
			note={counted(shown.length, "operator")}
			actions={<Sheet name={`${place.project}-${place.rev}-${key}.csv`} make={sheet} />}
		>
			<FilterBar>
				<Segments
					label="Standing"
					value={show ?? "all"}
					options={(["all", ...STANDINGS] as const).map((value) => ({
						value,
						label: SHOWN[value],
					}))}
					onChange={(value) => set({ show: value === "all" ? undefined : value })}
				/>
				<SearchInput
					label="Operator"
					placeholder="conv"
					value={q}
					onChange={(q) => set({ q }, true)}
				/>
				<FoldedFilters set={chosen}>
					{view.verdicts.keys.includes(key) && (
						<Select
							label="Verdict"
							any="all"
							value={verdict}
							options={VERDICTS.map(({ name, short }) => ({ value: name, label: short }))}
							onChange={(value) =>
								set({ verdict: VERDICTS.find(({ name }) => name === value)?.name })
							}
						/>
					)}
					<GeneratedSelect value={generated} set={set} />
				</FoldedFilters>
			</FilterBar>
			<div className={styles.list}>
				{shown.length === 0 ? (
					<Empty title="No operators match these filters" />
				) : (
					<VirtualList
						label="Operators"
						itemKeys
						items={shown}
						estimate={30}
						keyOf={(operator) => operator.name}
						render={(operator) => {
							const cell = cellAt(view, operator, column);
							return (
								<div className={styles.row}>
									<Mark view={view} operator={operator} at={key} reason={cell.reason} />
									<OperatorLink name={operator.name} />
									<span className={styles.by}>{cell.alias ?? cell.reason}</span>
								</div>
							);
						}}
					/>
				)}
			</div>
		</Section>
	);
}

interface MarkProps {
	view: MatrixView;
	operator: MatrixOperator;
	at: string;
	reason: string;
}

/** The verdict of an operator on the key of a backend; on other keys the reason of its cell. */
function Mark({ view, operator, at, reason }: MarkProps) {
	const verdict = verdictIn(view, operator, at);
	return verdict ? <VerdictMark verdict={verdict.name} /> : <ReasonMark reason={reason} />;
}
