import { useMemo } from "react";
import type { MatrixView } from "../api/queries";
import { count } from "../lib/format";
import type { FacetValue, MatrixOperator } from "../lib/matrix";
import { isReason, type ReasonName, REASONS } from "../lib/reasons";
import { fatesOf, type WaySearch } from "../lib/ways";
import { GENERATED, KINDS } from "../routes/operators";
import { Select } from "./controls";

/** What operators are filtered by, as addresses call it. */
export interface FacetSearch {
	namespace?: string | undefined;
	kind?: (typeof KINDS)[number] | undefined;
	tag?: string | undefined;
	python_module?: string | undefined;
}
type FacetName = keyof FacetSearch;
type Values = (operator: MatrixOperator) => readonly (string | null)[];

const FACETS: Record<FacetName, { label: string; values: Values }> = {
	namespace: { label: "Namespace", values: ({ namespace }) => [namespace] },
	kind: { label: "Kind", values: ({ kind }) => [kind] },
	tag: { label: "Tag", values: ({ tags }) => tags },
	python_module: { label: "Python module", values: ({ python_module }) => [python_module] },
};

interface Props {
	/** Which, in their order. */
	of: readonly FacetName[];
	/** Counts operators by their values; the same function as long as it counts the same. */
	counts: (values: Values) => readonly FacetValue[];
	search: FacetSearch;
	set: (change: FacetSearch) => void;
}

/** Filters by what operators are, each value with how many have it. */
export function FacetSelects({ of, counts, search, set }: Props) {
	const options = useMemo(
		() =>
			Object.fromEntries(
				Object.entries(FACETS).map(([name, { values }]) => [
					name,
					counts(values).map(({ value, count: n }) => ({ value, label: `${value} (${count(n)})` })),
				]),
			),
		[counts],
	);
	return of.map((name) => (
		<Select
			key={name}
			label={FACETS[name].label}
			any="any"
			value={search[name]}
			options={options[name] ?? []}
			onChange={(value) =>
				set({ [name]: name === "kind" ? KINDS.find((known) => known === value) : value })
			}
		/>
	));
}

type Generated = (typeof GENERATED)[number];
const OF_GENERATED: Record<Generated, string> = {
	include: "included",
	only: "only",
	exclude: "left out",
};

interface GeneratedProps {
	value: Generated | undefined;
	set: (change: { generated: Generated | undefined }) => void;
}

/** Whether generated operators are listed too. */
export function GeneratedSelect({ value, set }: GeneratedProps) {
	return (
		<Select
			label="Generated"
			value={value ?? "include"}
			options={GENERATED.map((value) => ({ value, label: OF_GENERATED[value] }))}
			onChange={(value) =>
				set({ generated: GENERATED.find((known) => known === value && known !== "include") })
			}
		/>
	);
}

interface KeySearch {
	key?: string | undefined;
	reason?: ReasonName | undefined;
}

interface KeyProps {
	keys: MatrixView["keys"];
	search: KeySearch;
	set: (change: KeySearch) => void;
}

/** Only operators that a key serves in one way. */
export function KeySelects({ keys, search: { key, reason }, set }: KeyProps) {
	return (
		<>
			<Select
				label="Key"
				any="any"
				value={key}
				options={keys.map(({ key }) => ({ value: key, label: key }))}
				onChange={(key) => set({ key, reason: key === undefined ? undefined : reason })}
			/>
			{key !== undefined && (
				<Select
					label={`Reason at ${key}`}
					value={reason ?? "kernel"}
					options={REASONS.map(({ name, short }) => ({ value: name, label: short }))}
					onChange={(value) => set({ reason: value && isReason(value) ? value : undefined })}
				/>
			)}
		</>
	);
}

interface WayProps {
	view: MatrixView;
	search: WaySearch;
	set: (change: WaySearch) => void;
}

/** Only operators with a fate on a way; first those that nothing of their own serves. */
export function WaySelects({ view, search: { way, fate }, set }: WayProps) {
	const title = view.ways.ways.find((known) => known.way === way)?.title;
	return (
		<>
			<Select
				label="Way"
				any="any"
				value={way}
				options={view.ways.ways.map(({ way, title }) => ({ value: way, label: title }))}
				onChange={(way) => set({ way, fate: undefined })}
			/>
			{way !== undefined && (
				<Select
					label={`Fate on ${title ?? way}`}
					any="missing"
					value={fate}
					options={fatesOf(view, way).map((fate) => ({ value: fate, label: fate }))}
					onChange={(fate) => set({ fate })}
				/>
			)}
		</>
	);
}
