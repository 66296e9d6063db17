import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { apiPath, type MatrixView, matrixQuery } from "../api/queries";
import { Badge } from "../components/Badge";
import { Button, Select } from "../components/controls";
import { FoldedFilters } from "../components/Filters";
import { Page } from "../components/Page";
import { ReasonMark } from "../components/ReasonMark";
import { SchemaText } from "../components/SchemaText";
import { SearchInput } from "../components/SearchInput";
import { Async, Empty } from "../components/States";
import { VirtualList } from "../components/VirtualList";
import { usePlace } from "../layout/place";
import { count, counted } from "../lib/format";
import { cellAt, columnOf, facet, filtered, type MatrixOperator, sought } from "../lib/matrix";
import { isReason, REASONS } from "../lib/reasons";
import { stringify } from "../lib/search";
import { operatorPath } from "../nav";
import { GENERATED, KINDS, type OperatorsSearch } from "../routes/operators";
import styles from "./Operators.module.css";

const route = getRouteApi("/p/$project/r/$rev/operators");

/** All operators of a revision, with filters that stand in the address. */
export default function Operators() {
	const place = usePlace();
	const matrix = useQuery(matrixQuery(place));
	const search = route.useSearch();
	return (
		<Page title="Operators" api={apiPath(place, `/operators${stringify({ ...search })}`)} wide>
			<Async query={matrix}>{(view) => <Browser view={view} search={search} />}</Async>
		</Page>
	);
}

const filtersOf = ({ q: _, ...filters }: OperatorsSearch) => filters;

function Browser({ view, search }: { view: MatrixView; search: OperatorsSearch }) {
	const place = usePlace();
	const navigate = route.useNavigate();
	const set = (change: OperatorsSearch, replace = false) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, ...change }),
			replace,
		});
	const filters = route.useSearch({ select: filtersOf, structuralSharing: true });
	const passing = useMemo(() => filtered(view, filters), [view, filters]);
	const words = useDeferredValue(search.q);
	const shown = useMemo(() => sought(passing, words), [passing, words]);
	const column = search.key === undefined ? -1 : columnOf(view, search.key);
	const isFiltered = Object.values(search).some((value) => value !== undefined);
	return (
		<div className={styles.browser}>
			<search className={styles.filters} aria-label="Filters">
				<SearchInput
					label="Name or schema"
					placeholder="add.Tensor"
					className={styles.words}
					value={search.q}
					onChange={(q) => set({ q }, true)}
				/>
				<FoldedFilters set={Object.values(filters).filter((value) => value !== undefined).length}>
					<Facets view={view} search={search} onChange={set} />
				</FoldedFilters>
				<p className={styles.count} role="status">
					<strong>{count(shown.length)}</strong> of {counted(view.operators.length, "operator")}
				</p>
				{isFiltered && (
					<Button onClick={() => void navigate({ to: ".", search: {} })}>
						Clear filters
					</Button>
				)}
			</search>
			<div className={styles.list}>
				{shown.length === 0 ? (
					<Empty title="No operators match these filters">
						<Button onClick={() => void navigate({ to: ".", search: {} })}>
							Clear filters
						</Button>
					</Empty>
				) : (
					<VirtualList
						label="Operators"
						items={shown}
						estimate={56}
						itemKeys
						keyOf={(operator) => operator.name}
						onOpen={(operator) => void navigate({ to: operatorPath(place, operator.name) })}
						render={(operator) => (
							<Row
								operator={operator}
								to={operatorPath(place, operator.name)}
								reason={column < 0 ? undefined : cellAt(view, operator, column).reason}
							/>
						)}
					/>
				)}
			</div>
		</div>
	);
}

interface FacetsProps {
	view: MatrixView;
	search: OperatorsSearch;
	onChange: (change: OperatorsSearch) => void;
}

const YES_NO = [
	{ value: "true", label: "yes" },
	{ value: "false", label: "no" },
];
const OF_GENERATED = { include: "included", only: "only", exclude: "left out" } as const;

function Facets({ view, search, onChange }: FacetsProps) {
	const options = useMemo(() => {
		const of = (values: (operator: MatrixOperator) => readonly (string | null)[]) =>
			facet(view.operators, values).map(({ value, count: n }) => ({
				value,
				label: `${value} (${count(n)})`,
			}));
		return {
			namespace: of((operator) => [operator.namespace]),
			kind: of((operator) => [operator.kind]),
			tag: of((operator) => operator.tags),
			module: of((operator) => [operator.python_module]),
			key: view.keys.map(({ key }) => ({ value: key, label: key })),
		};
	}, [view]);
	return (
		<>
			<Select
				label="Namespace"
				any="any"
				value={search.namespace}
				options={options.namespace}
				onChange={(namespace) => onChange({ namespace })}
			/>
			<Select
				label="Kind"
				any="any"
				value={search.kind}
				options={options.kind}
				onChange={(kind) => onChange({ kind: KINDS.find((known) => known === kind) })}
			/>
			<Select
				label="Tag"
				any="any"
				value={search.tag}
				options={options.tag}
				onChange={(tag) => onChange({ tag })}
			/>
			<Select
				label="Structured"
				any="any"
				value={search.structured?.toString()}
				options={YES_NO}
				onChange={(value) =>
					onChange({ structured: value === undefined ? undefined : value === "true" })
				}
			/>
			<Select
				label="Generated"
				value={search.generated ?? "include"}
				options={GENERATED.map((value) => ({ value, label: OF_GENERATED[value] }))}
				onChange={(value) =>
					onChange({ generated: GENERATED.find((known) => known === value && known !== "include") })
				}
			/>
			<Select
				label="Python module"
				any="any"
				value={search.python_module}
				options={options.module}
				onChange={(python_module) => onChange({ python_module })}
			/>
			<Select
				label="Key"
				any="any"
				value={search.key}
				options={options.key}
				onChange={(key) => onChange({ key, reason: key === undefined ? undefined : search.reason })}
			/>
			{search.key !== undefined && (
				<Select
					label={`Reason at ${search.key}`}
					value={search.reason ?? "kernel"}
					options={REASONS.map(({ name, short }) => ({ value: name, label: short }))}
					onChange={(value) => onChange({ reason: value && isReason(value) ? value : undefined })}
				/>
			)}
		</>
	);
}

interface RowProps {
	operator: MatrixOperator;
	to: string;
	/** The reason at the key that is filtered by. */
	reason: string | undefined;
}

function Row({ operator, to, reason }: RowProps) {
	const { name, kind, structured, generated, tags, schema } = operator;
	return (
		<div className={styles.row}>
			<div className={styles.head}>
				{reason !== undefined && <ReasonMark reason={reason} />}
				<Link to={to} className={styles.name}>
					{name}
				</Link>
				{kind !== "functional" && <Badge>{kind}</Badge>}
				{structured && <Badge tone="accent">structured</Badge>}
				{generated && <Badge>generated</Badge>}
				{tags.includes("core") && <Badge tone="good">core</Badge>}
			</div>
			<div className={styles.schema}>
				<SchemaText schema={schema} nameless />
			</div>
		</div>
	);
}
