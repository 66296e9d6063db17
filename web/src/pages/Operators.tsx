import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useDeferredValue, useMemo } from "react";
import { apiPath, type MatrixView, matrixQuery } from "../api/queries";
import { Badge } from "../components/Badge";
import { Button, Select } from "../components/controls";
import { FacetSelects, GeneratedSelect, KeySelects } from "../components/Facets";
import { FoldedFilters } from "../components/Filters";
import { Page } from "../components/Page";
import { ReasonMark } from "../components/ReasonMark";
import { SchemaText } from "../components/SchemaText";
import { SearchInput } from "../components/SearchInput";
import { Async, Empty } from "../components/States";
import { verdictFill, VerdictLegend } from "../components/VerdictMark";
import { VirtualList } from "../components/VirtualList";
import { usePlace } from "../layout/place";
import { count, counted } from "../lib/format";
import { cellAt, columnOf, facet, filtered, type MatrixOperator, sought } from "../lib/matrix";
import { type Column, dataColumns, grouped, groupStarts, verdictOn } from "../lib/operatorList";
import { stringify } from "../lib/search";
import { operatorPath } from "../nav";
import type { OperatorsSearch } from "../routes/operators";
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
	// What is searched for comes by how well it fits, everything else in groups.
	const shown = useMemo(
		() => (words ? sought(passing, words) : grouped(passing)),
		[passing, words],
	);
	const starts = useMemo(() => groupStarts(words ? [] : shown), [shown, words]);
	const columns = useMemo(() => dataColumns(view), [view]);
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
				<Head columns={columns} />
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
								view={view}
								columns={columns}
								start={starts.get(operator.name)}
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

function Facets({ view, search, onChange }: FacetsProps) {
	const counts = useCallback(
		(values: Parameters<typeof facet>[1]) => facet(view.operators, values),
		[view],
	);
	return (
		<>
			<FacetSelects
				of={["namespace", "kind", "tag", "python_module"]}
				counts={counts}
				search={search}
				set={onChange}
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
			<GeneratedSelect value={search.generated} set={onChange} />
			<KeySelects keys={view.keys} search={search} set={onChange} />
		</>
	);
}

/** What the cells of all rows are about. */
function Head({ columns }: { columns: readonly Column[] }) {
	return (
		<div className={styles.columns}>
			<VerdictLegend />
			<span className={styles.strip} aria-hidden="true">
				{columns.map(({ key }) => (
					<span key={key} title={key} className={styles.key}>
						{key}
					</span>
				))}
			</span>
		</div>
	);
}

interface RowProps {
	view: MatrixView;
	columns: readonly Column[];
	/** The group that begins with the row: its title, and how many operators it has. */
	start: [string, number] | undefined;
	operator: MatrixOperator;
	to: string;
	/** The reason at the key that is filtered by. */
	reason: string | undefined;
}

function Row({ view, columns, start, operator, to, reason }: RowProps) {
	const { name, kind, structured, generated, tags, schema } = operator;
	return (
		<>
			{start && (
				<h2 className={styles.group}>
					{start[0]} <span className="muted">{count(start[1])}</span>
				</h2>
			)}
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
				<Strip view={view} columns={columns} operator={operator} />
				<div className={styles.schema}>
					<SchemaText schema={schema} nameless />
				</div>
			</div>
		</>
	);
}

/** Where an operator runs: a cell for each backend. */
function Strip({ view, columns, operator }: Pick<RowProps, "view" | "columns" | "operator">) {
	const verdicts = columns.map((column) => verdictOn(view, operator, column));
	const said = verdicts.map(({ short }, at) => `${columns[at]?.key}: ${short}`).join(", ");
	return (
		<span className={styles.strip} role="img" aria-label={said} title={said}>
			{verdicts.map(({ name, glyph }, at) => (
				<span key={columns[at]?.key} className={`${styles.cell} ${verdictFill(name)}`}>
					{glyph}
				</span>
			))}
		</span>
	);
}
