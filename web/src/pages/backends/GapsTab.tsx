import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import type { MatrixView } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { Button, FileButton, Segments, Select } from "../../components/controls";
import { FacetSelects } from "../../components/Facets";
import { FilterBar, FoldedFilters, useNarrow } from "../../components/Filters";
import { RevisionBox } from "../../components/RevisionBox";
import { KeyLink, OperatorLink } from "../../components/links";
import { Figures } from "../../components/Meter";
import { Card, Section } from "../../components/Page";
import { SearchInput } from "../../components/SearchInput";
import { Async, Empty } from "../../components/States";
import { VerdictMark } from "../../components/VerdictMark";
import { VirtualList } from "../../components/VirtualList";
import { usePlace } from "../../layout/place";
import { count, counted, percent } from "../../lib/format";
import { byName, gapFacet, type Ranked, ranked } from "../../lib/gaps";
import { someNames } from "../../lib/verdicts";
import { GAP_KINDS, type GapsSearch } from "../../routes/backend";
import backend from "./Backend.module.css";
import styles from "./Gaps.module.css";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";
import { type Gaps as GapsData, gapsQuery, gapsText } from "../history/queries";

const route = getRouteApi("/p/$project/r/$rev/backends/$key/gaps");

/** What narrows the list; what it is ranked by and compared with is none of it. */
const FILTERS = ["only", "tag", "kind", "python_module", "namespace", "added", "q"] as const;
/** Those of them that a phone folds. */
const FOLDED = ["tag", "kind", "python_module", "namespace", "added"] as const;

const ONLY_NAMES = {
	all: "All gaps",
	lacking: "Fail or work in part",
	inherited: "Work otherwise",
	unknown: "Unknown",
} as const;

/** What a backend lacks or inherits, what matters most first. */
export default function GapsTab() {
	const { place, key, view } = useBackend();
	const search = route.useSearch();
	const { since } = search;
	// A usage file is a person's own: it is sent to be ranked by, and stands in no address.
	const [usage, setUsage] = useState<{ name: string; text: string }>();
	const asked = { key, since, usage: usage?.text };
	const query = useQuery(gapsQuery(place, asked));
	const sheet = async () => {
		const text = await gapsText(place, { ...asked, only: search.only }, "text/csv");
		return new Blob([text], { type: "text/csv" });
	};
	return (
		<>
			<p className="muted">
				Operators of {place.project} {place.rev} without a kernel of their own on {key}. Sorted by{" "}
				{usage ? `use in ${usage.name}, then ` : ""}the tag core, then the number of other backends
				that have one.
			</p>
			<div className={styles.asked}>
				<FoldedFilters label="Compare and rank" set={(since ? 1 : 0) + (usage ? 1 : 0)}>
					<Since since={since} />
					<UsageFile name={usage?.name} onChange={setUsage} />
				</FoldedFilters>
			</div>
			<Async query={query} suggest={(name) => <KeyLink name={name} />}>
				{(gaps) => (
					<Body
						gaps={gaps}
						view={view}
						actions={<Sheet name={`${place.project}-${place.rev}-${key}-gaps.csv`} make={sheet} />}
					/>
				)}
			</Async>
		</>
	);
}

/** Changes of what stands in the address. */
function useSet() {
	const navigate = route.useNavigate();
	return (change: GapsSearch, replace = false) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, ...change }),
			replace,
			resetScroll: false,
		});
}

function Since({ since }: { since: string | undefined }) {
	const place = usePlace();
	const set = useSet();
	return (
		<RevisionBox
			label="New kernels since"
			any="choose a revision"
			project={place.project}
			value={since}
			onChange={(since) => set({ since, added: undefined })}
		/>
	);
}

interface UsageProps {
	name: string | undefined;
	onChange: (usage: { name: string; text: string } | undefined) => void;
}

/** A file of operators with how often they are used. */
function UsageFile({ name, onChange }: UsageProps) {
	return (
		<div className={styles.usage}>
			<FileButton
				accept=".csv,.txt,.json,text/csv,application/json"
				onFile={(file) => void file.text().then((text) => onChange({ name: file.name, text }))}
			>
				Rank by a usage file …
			</FileButton>
			<span className="muted">
				lines: <code>operator,count</code>
			</span>
			{name !== undefined && (
				<>
					<span className={styles.used} role="status">
						Ranked by <strong>{name}</strong>, which is not stored
					</span>
					<Button onClick={() => onChange(undefined)}>Remove ranking</Button>
				</>
			)}
		</div>
	);
}

interface BodyProps {
	gaps: GapsData;
	view: MatrixView;
	actions: ReactNode;
}

function Body({ gaps, view, actions }: BodyProps) {
	const isNarrow = useNarrow();
	const search = route.useSearch();
	const set = useSet();
	const { only, added, q } = search;
	const operators = useMemo(() => byName(view.operators), [view]);
	// All that the revision has may be chosen, with its count of gaps.
	const counts = useCallback(
		(values: Parameters<typeof gapFacet>[2]) => gapFacet(gaps.items, operators, values),
		[gaps.items, operators],
	);
	const shown = useMemo(
		() => ranked(gaps.items, search, operators),
		[gaps.items, operators, search],
	);
	const isFiltered = FILTERS.some((name) => search[name] !== undefined);
	const clear = () => set(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
	return (
		<>
			{!isNarrow && <Counts gaps={gaps} />}
			{gaps.unknown.length > 0 && (
				<Card>
					<p>
						Unknown operators in the usage file:{" "}
						{gaps.unknown.slice(0, 20).map((name, at) => (
							<span key={name}>
								{at > 0 && ", "}
								<code>{name}</code>
							</span>
						))}
						{gaps.unknown.length > 20 && ` and ${count(gaps.unknown.length - 20)} more`}.
						These lines are ignored.
					</p>
				</Card>
			)}
			<Section
				title="Gaps"
				note={`${count(shown.length)} of ${counted(gaps.items.length, "operator")}`}
				actions={actions}
			>
				<FilterBar>
					<Segments
						label="Kind of gap"
						value={only ?? "all"}
						options={(["all", ...GAP_KINDS] as const).map((value) => ({
							value,
							label: ONLY_NAMES[value],
						}))}
						onChange={(value) => set({ only: value === "all" ? undefined : value })}
					/>
					<SearchInput
						label="Operator"
						placeholder="conv"
						value={q}
						onChange={(q) => set({ q }, true)}
					/>
					<FoldedFilters set={FOLDED.filter((name) => search[name] !== undefined).length}>
						<FacetSelects
							of={["tag", "kind", "python_module", "namespace"]}
							counts={counts}
							search={search}
							set={set}
						/>
						{gaps.since && (
							<Select
								label="Operators"
								any="all"
								value={added}
								options={[{ value: "new", label: `new since ${gaps.since.revision.label ?? gaps.since.revision.title}` }]}
								onChange={(value) => set({ added: value === "new" ? value : undefined })}
							/>
						)}
					</FoldedFilters>
					{isFiltered && <Button onClick={clear}>Clear filters</Button>}
				</FilterBar>
				{shown.length === 0 ? (
					<Empty title={nothing(gaps, isFiltered)} />
				) : (
					<div className={backend.list}>
						<VirtualList
							label="Gaps"
							items={shown}
							estimate={32}
							itemKeys
							keyOf={({ gap }) => gap.operator}
							render={(item) => <Row item={item} />}
						/>
					</div>
				)}
			</Section>
			{isNarrow && <Counts gaps={gaps} />}
			{gaps.since && <Gained since={gaps.since} at={gaps.key} />}
		</>
	);
}

/** Why the list is empty. */
function nothing({ items, key }: GapsData, isFiltered: boolean): string {
	if (items.length === 0) return "This backend has no gaps";
	const unknown = items.find(({ works }) => works === "unknown");
	if (isFiltered || !unknown) return "No gaps match these filters";
	const settledBy = unknown.settled_by ? `. This would settle it: ${unknown.settled_by}` : "";
	return `It is unknown what ${key} lacks${settledBy}`;
}

function Row({ item: { rank, gap } }: { item: Ranked }) {
	return (
		<div className={backend.row}>
			<span className={styles.rank}>{rank}</span>
			<VerdictMark verdict={gap.verdict} />
			<OperatorLink name={gap.operator} />
			{gap.core && <Badge tone="accent">core</Badge>}
			{gap.new && <Badge tone="info">new</Badge>}
			<span className={backend.by}>
				{typeof gap.usage === "number" && `used ${counted(gap.usage, "time")}; `}
				{gap.others === 0 ? "no other backend has one" : `${counted(gap.others, "other backend")}`}
				{`; ${gap.source_key ?? gap.reason}`}
				{gap.because && `; ${gap.because}`}
				{gap.settled_by && `; this would settle it: ${gap.settled_by}`}
				{gap.needs.length > 0 && gap.needs[0] !== gap.operator && `; needs ${someNames(gap.needs)}`}
			</span>
		</div>
	);
}

function Counts({ gaps: { counts, since } }: { gaps: GapsData }) {
	const before = since?.counts;
	const figures = [
		["own kernels", counts.kernels, before?.kernels, "direct"],
		["work otherwise", counts.inherited, before?.inherited, "inherited"],
		["fail or work partly", counts.lacking, before?.lacking, "missing"],
		["unknown", counts.unknown, before?.unknown, "unknown"],
	] as const;
	return (
		<Card>
			<Figures
				items={figures.map(([label, now, then, part]) => ({
					part,
					count: now,
					label: [
						`${label}, ${percent(now, counts.applicable)}`,
						then !== undefined && `${now < then ? "−" : "+"}${count(Math.abs(now - then))} since ${since?.revision.label ?? since?.revision.title}`,
					]
						.filter(Boolean)
						.join(", "),
				}))}
			/>
			{counts.other_backends > 0 && (
				<p className="muted">
					{counted(counts.other_backends, "more operator")}{" "}
					{counts.other_backends === 1 ? "belongs" : "belong"} to other backends.
				</p>
			)}
		</Card>
	);
}

/** What the backend has a kernel of its own for by now. */
function Gained({ since, at }: { since: NonNullable<GapsData["since"]>; at: string }) {
	return (
		<Section
			title={`Gained since ${since.revision.label ?? since.revision.title}`}
			note={`${counted(since.gained.length, "operator")} with a kernel on ${at} that had none`}
		>
			{since.gained.length === 0 ? (
				<Empty title="No new kernels" />
			) : (
				<section className={styles.gained} tabIndex={0} aria-label="Gained, operators">
					<ul>
						{since.gained.map((name) => (
							<li key={name}>
								<OperatorLink name={name} />
							</li>
						))}
					</ul>
				</section>
			)}
		</Section>
	);
}
