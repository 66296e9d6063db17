import { useMemo } from "react";
import type { MatrixView } from "../../api/queries";
import { Select } from "../../components/controls";
import { count } from "../../lib/format";
import { gapFacet } from "../../lib/gaps";
import type { GapsSearch } from "../../routes/backend";
import { KINDS } from "../../routes/operators";
import type { GapView } from "../history/queries";

type Operator = MatrixView["operators"][number];

interface Props {
	gaps: readonly GapView[];
	operators: ReadonlyMap<string, Operator>;
	search: GapsSearch;
	set: (change: GapsSearch) => void;
}

/** Filters by what operators are. All that the revision has may be chosen, with its count of gaps. */
export function OperatorFilters({ gaps, operators, search, set }: Props) {
	const options = useMemo(() => {
		const of = (values: (operator: Operator) => readonly (string | null)[]) =>
			gapFacet(gaps, operators, values).map(({ value, gaps: n }) => ({
				value,
				label: `${value} (${count(n)})`,
			}));
		return {
			tag: of(({ tags }) => tags),
			kind: of(({ kind }) => [kind]),
			module: of(({ python_module }) => [python_module]),
			namespace: of(({ namespace }) => [namespace]),
		};
	}, [gaps, operators]);
	return (
		<>
			<Select
				label="Tag"
				any="any"
				value={search.tag}
				options={options.tag}
				onChange={(tag) => set({ tag })}
			/>
			<Select
				label="Kind"
				any="any"
				value={search.kind}
				options={options.kind}
				onChange={(kind) => set({ kind: KINDS.find((known) => known === kind) })}
			/>
			<Select
				label="Python module"
				any="any"
				value={search.python_module}
				options={options.module}
				onChange={(python_module) => set({ python_module })}
			/>
			<Select
				label="Namespace"
				any="any"
				value={search.namespace}
				options={options.namespace}
				onChange={(namespace) => set({ namespace })}
			/>
		</>
	);
}
