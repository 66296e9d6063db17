import { useDeferredValue, useMemo } from "react";
import { Button, Select } from "../../components/controls";
import { FilterBar, FoldedFilters, Passing } from "../../components/Filters";
import { SearchInput } from "../../components/SearchInput";
import { Tabs } from "../../components/Tabs";
import {
	type Change,
	type Comparison,
	facet,
	GROUPS,
	isCompound,
	keysByOperator,
	sieve,
	tableSieve,
} from "../../lib/comparison";
import { count, counted } from "../../lib/format";
import { AUDIENCES, FAIL_ON, PROFILE_NAMES, PROFILES } from "../../lib/levels";
import { reviewOf } from "../../lib/review";
import type { Sides } from "../../lib/sides";
import type { ComparisonSearch } from "../../routes/compare";
import { Banner } from "./Banner";
import { ChangeList } from "./ChangeList";
import styles from "./Compare.module.css";
import { DispatchView } from "./DispatchView";
import { Exceptions } from "./Exceptions";
import { groupTitle } from "./groups";
import { Review } from "./Review";
import { NewFindings, Unread } from "./Unread";

interface Props {
	comparison: Comparison;
	search: ComparisonSearch;
	set: (change: ComparisonSearch, replace?: boolean) => void;
	/** Whether a newer answer is on its way. */
	isBehind: boolean;
	/** The texts of both sides, where they were pasted. */
	texts?: Sides | undefined;
}

const VIEWS = ["operators", "dispatch"] as const;

const FILTERS = ["level", "audience", "backend", "namespace", "q", "turn"] as const;

/** Those of the filters that a phone folds. */
const FOLDED = ["profile", "fail_on", "level", "audience", "backend", "namespace"] as const;

const countSet = (search: ComparisonSearch): number =>
	FOLDED.filter((name) => search[name] !== undefined).length;

/** A comparison: the verdict first, then what could not be read, then the review, and all changes. */
export function ComparisonView({ comparison, search, set, isBehind, texts }: Props) {
	const { changes, dispatch_changes } = comparison;
	const { level, audience, backend, namespace } = search;
	const q = useDeferredValue(search.q);
	const filter = useMemo(
		() => ({ level, audience, backend, namespace, q }),
		[level, audience, backend, namespace, q],
	);
	const touched = useMemo(() => keysByOperator(dispatch_changes), [dispatch_changes]);
	const passing = useMemo(
		() => changes.filter(sieve(filter, touched)),
		[changes, filter, touched],
	);
	const review = useMemo(() => reviewOf(comparison), [comparison]);
	const ofCauses = useMemo(() => review.causes.flatMap(({ findings }) => findings), [review]);
	const tables = useMemo(
		() => dispatch_changes.filter(tableSieve(filter)),
		[dispatch_changes, filter],
	);
	const shown = useMemo(() => passing.filter(isCounted).length, [passing]);
	const all = useMemo(() => changes.filter(isCounted).length, [changes]);
	const isFiltered = FILTERS.some((name) => search[name] !== undefined);
	const clear = () => set(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
	return (
		<div className={styles.comparison} data-behind={isBehind || undefined}>
			<Banner comparison={comparison} level={level} onLevel={(level) => set({ level })} />
			<Unread comparison={comparison} introduced={review.loose} />
			<Exceptions comparison={comparison} about={review.aboutExceptions} />
			<FilterBar>
				<FoldedFilters set={countSet(search)}>
					<Select
						label="Profile"
						any="policy default"
						value={search.profile}
						options={PROFILES.map((value) => ({ value, label: PROFILE_NAMES[value] }))}
						onChange={(value) => set({ profile: PROFILES.find((known) => known === value) })}
					/>
					<Select
						label="Fails on"
						any="policy default"
						value={search.fail_on}
						options={FAIL_ON.map((value) => ({ value, label: value }))}
						onChange={(value) => set({ fail_on: FAIL_ON.find((known) => known === value) })}
					/>
					<Facets comparison={comparison} touched={touched} search={search} set={set} />
				</FoldedFilters>
				<SearchInput
					label="Operator, rule or text"
					placeholder="argument-renamed, add, …"
					value={search.q}
					onChange={(q) => set({ q }, true)}
				/>
				{isFiltered && <Button onClick={clear}>Clear filters</Button>}
				<Passing>
					<strong>{count(shown)}</strong> of {counted(all, "change")}
				</Passing>
			</FilterBar>
			<Tabs
				label="Parts of the comparison"
				value={search.view ?? "causes"}
				tabs={[
					{ id: "causes", label: "Review" },
					{ id: "operators", label: `Changes by operator (${count(shown)})` },
					{ id: "dispatch", label: `Dispatch tables (${count(tables.length)})` },
				]}
				onChange={(id) => set({ view: VIEWS.find((view) => view === id) })}
			>
				{search.view === "dispatch" && (
					<DispatchView comparison={comparison} changes={tables} search={search} set={set} />
				)}
				{search.view === undefined && (
					<Review
						review={review}
						comparison={comparison}
						passing={passing}
						texts={texts}
						onClear={isFiltered ? clear : undefined}
					/>
				)}
				{search.view === "operators" && (
					<>
						<NewFindings comparison={comparison} findings={ofCauses} />
						<ChangeList
							passing={passing}
							comparison={comparison}
							unfolded={level === "none"}
							onClear={isFiltered ? clear : undefined}
						/>
					</>
				)}
			</Tabs>
		</div>
	);
}

/** Changes that are counted: those that mean something, and no headings. */
const isCounted = (change: Change) => !isCompound(change) && change.level !== "none";

interface FacetsProps extends Pick<Props, "comparison" | "search" | "set"> {
	/** The keys at which each operator's table changed. */
	touched: ReturnType<typeof keysByOperator>;
}

function Facets({ comparison: { changes }, touched, search, set }: FacetsProps) {
	const { level, audience, backend, namespace, q } = search;
	const options = useMemo(() => {
		const filter = { level, audience, backend, namespace, q };
		const of = (name: "level" | "audience" | "backend" | "namespace", order: readonly string[]) =>
			[...facet(changes, filter, name, touched)].sort(
				([a], [b]) => order.indexOf(a) - order.indexOf(b) || a.localeCompare(b),
			);
		return {
			level: of("level", GROUPS),
			audience: of("audience", Object.keys(AUDIENCES)),
			namespace: of("namespace", []),
			backend: of("backend", []),
		};
	}, [changes, touched, level, audience, backend, namespace, q]);
	return (
		<>
			<Select
				label="Level"
				any="any"
				value={level}
				options={options.level.map(([value, n]) => ({
					value,
					label: `${groupTitle(value)} (${count(n)})`,
				}))}
				onChange={(value) => set({ level: GROUPS.find((known) => known === value) })}
			/>
			<Select
				label="Who is affected"
				any="anybody"
				value={audience}
				options={options.audience.map(([value, n]) => ({
					value,
					label: `${AUDIENCES[value] ?? value} (${count(n)})`,
				}))}
				onChange={(audience) => set({ audience })}
			/>
			<Select
				label="Backend"
				any="any"
				value={backend}
				options={options.backend.map(([value, n]) => ({
					value,
					label: `${value} (${count(n)})`,
				}))}
				onChange={(backend) => set({ backend, turn: undefined })}
			/>
			{(options.namespace.length > 1 || namespace !== undefined) && (
				<Select
					label="Namespace"
					any="any"
					value={namespace}
					options={options.namespace.map(([value, n]) => ({
						value,
						label: `${value} (${count(n)})`,
					}))}
					onChange={(namespace) => set({ namespace })}
				/>
			)}
		</>
	);
}
