import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { rulesQuery } from "../../api/queries";
import { Button, Select } from "../../components/controls";
import { FilterBar, FoldedFilters, Passing } from "../../components/Filters";
import { Page } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { SearchInput } from "../../components/SearchInput";
import { Async, Empty } from "../../components/States";
import { VirtualList } from "../../components/VirtualList";
import { count, counted } from "../../lib/format";
import { type AnyRule, facet, kindOf, sought, WEIGHTS } from "../../lib/ruleset";
import { rulePath } from "../../nav";
import { RULE_KINDS, type RulesSearch } from "../../routes/rules";
import styles from "./Rules.module.css";
import { WeightBadge } from "./WeightBadge";

const route = getRouteApi("/rules");
const KIND_NAMES = {
	validation: "validation",
	compatibility: "compatibility",
} as const;

/** Those of the filters that a phone folds. */
const FOLDED = ["kind", "family", "weight"] as const;

/** Every rule: of validation, and of compatibility. */
export default function Rules() {
	const rules = useQuery(rulesQuery);
	return (
		<Page
			title="Rules"
			lead="The rules of validation, for one revision, and of compatibility, for changes between two."
			api="/v1/rules"
		>
			<Async query={rules}>{(items) => <Browser rules={items} />}</Async>
		</Page>
	);
}

function Browser({ rules }: { rules: readonly AnyRule[] }) {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: RulesSearch, replace = false) =>
		void navigate({ to: ".", search: { ...search, ...change }, replace });
	const shown = useMemo(() => sought(rules, search), [rules, search]);
	const names = useMemo(() => rules.map(({ id }) => id), [rules]);
	const clear = (
		<Button onClick={() => void navigate({ to: ".", search: {} })}>Clear filters</Button>
	);
	const isFiltered = Object.values(search).some((value) => value !== undefined);
	return (
		<>
			<FilterBar>
				<SearchInput
					label="Words"
					placeholder="alias, out argument, …"
					names={names}
					value={search.q}
					onChange={(q) => set({ q }, true)}
				/>
				<FoldedFilters set={FOLDED.filter((name) => search[name] !== undefined).length}>
					<Filter
						label="Kind"
						value={search.kind}
						counts={facet(rules, search, "kind")}
						order={RULE_KINDS}
						nameOf={(kind) => KIND_NAMES[kind as keyof typeof KIND_NAMES] ?? kind}
						onChange={(kind) => set({ kind: RULE_KINDS.find((known) => known === kind) })}
					/>
					<Filter
						label="Family"
						value={search.family}
						counts={facet(rules, search, "family")}
						onChange={(family) => set({ family })}
					/>
					<Filter
						label="Severity or level"
						value={search.weight}
						counts={facet(rules, search, "weight")}
						order={WEIGHTS}
						onChange={(weight) => set({ weight })}
					/>
				</FoldedFilters>
				{isFiltered && clear}
				<Passing>
					<strong>{count(shown.length)}</strong> of {counted(rules.length, "rule")}
				</Passing>
			</FilterBar>
			{shown.length === 0 ? (
				<Empty title="No rules match these filters">{clear}</Empty>
			) : (
				<div className={styles.list}>
					<VirtualList
						label="Rules"
						items={shown}
						estimate={40}
						itemKeys
						keyOf={(rule) => `${kindOf(rule)} ${rule.id}`}
						render={(rule) => <Row rule={rule} />}
					/>
				</div>
			)}
		</>
	);
}

function Row({ rule }: { rule: AnyRule }) {
	return (
		<div className={styles.row}>
			<Link to={rulePath(rule.id)} className={styles.name}>
				{rule.id}
			</Link>
			<span className={styles.weight}>
				<WeightBadge rule={rule} />
			</span>
			<span className={styles.family}>{rule.family}</span>
			<span className={styles.what}>
				<Prose text={rule.what} />
			</span>
		</div>
	);
}

interface FilterProps {
	label: string;
	value: string | undefined;
	counts: Map<string, number>;
	/** The order of the values; by name where there is none. */
	order?: readonly string[];
	nameOf?: (value: string) => string;
	onChange: (value: string | undefined) => void;
}

function Filter({ label, value, counts, order, nameOf, onChange }: FilterProps) {
	const rank = (name: string) => order?.indexOf(name) ?? 0;
	const options = [...counts]
		.sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b))
		.map(([name, n]) => ({ value: name, label: `${nameOf?.(name) ?? name} (${count(n)})` }));
	return <Select label={label} any="any" value={value} options={options} onChange={onChange} />;
}
