import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { searchQuery, topicsQuery } from "../../api/queries";
import { Button } from "../../components/controls";
import { HistoryLink } from "../../components/links";
import { Page, Section } from "../../components/Page";
import { ReasonMark } from "../../components/ReasonMark";
import { Table } from "../../components/Table";
import { verdictFill, VerdictMark } from "../../components/VerdictMark";
import { Async, Empty, ErrorView } from "../../components/States";
import { download } from "../../lib/download";
import { counted } from "../../lib/format";
import {
	begun,
	names,
	placeAddress,
	placeTitle,
	spanTitle,
	supportWords,
	type TimelinePlace,
} from "../../lib/history";
import { useRested } from "../../lib/useRested";
import { verdictOf } from "../../lib/verdicts";
import { keyPath, segment } from "../../nav";
import { NamesField } from "./NamesField";
import { type SupportData, supportQuery } from "./queries";
import styles from "./Support.module.css";

const route = getRouteApi("/p/$project/support");

/** The backends that are asked for where nobody said which. */
const KEYS = "CPU,CUDA,MPS,XPU";

/** Since when backends run operators, and by what. */
export default function Support() {
	const { project } = route.useParams();
	const search = route.useSearch();
	const operators = names(search.operators).join(",");
	const keys = names(search.keys ?? KEYS).join(",");
	const query = useQuery({
		...supportQuery(project, operators, keys),
		enabled: operators !== "" && keys !== "",
	});
	const api = `/v1/projects/${segment(project)}/support?operators=${segment(operators)}&keys=${segment(keys)}`;
	return (
		<Page
			title="Support"
			heading={`Support in ${project}`}
			lead="Since which revision a backend runs an operator, and with which kernel."
			actions={query.data && <Files path={api} project={project} />}
			api={operators === "" ? undefined : api}
		>
			<Ask key={`${operators} ${keys}`} operators={operators} keys={keys} />
			{operators === "" || keys === "" ? (
				<Empty title="Which operators, and where?">
					<p>
						Name some, such as{" "}
						<Link
							from="/p/$project/support"
							to="."
							search={{ operators: "add.Tensor,bmm,cholesky", keys: KEYS }}
							className="mono target"
						>
							add.Tensor, bmm, cholesky
						</Link>
						.
					</p>
				</Empty>
			) : (
				<Async query={query} suggest={(name) => <HistoryLink project={project} name={name} />}>
					{(table) => <Cells table={table} />}
				</Async>
			)}
		</Page>
	);
}

function Ask({ operators, keys }: { operators: string; keys: string }) {
	const navigate = route.useNavigate();
	const [wanted, setWanted] = useState(operators.replaceAll(",", ", "));
	const [where, setWhere] = useState(keys.replaceAll(",", ", "));
	const ask = (event: FormEvent) => {
		event.preventDefault();
		const search = { operators: names(wanted).join(","), keys: names(where).join(",") };
		void navigate({ to: ".", search, resetScroll: false });
	};
	return (
		<form className={styles.ask} onSubmit={ask}>
			<NamesField
				label="Operators, separated by commas"
				placeholder="add.Tensor, bmm"
				value={wanted}
				onChange={setWanted}
				choices={useOperators(begun(wanted).name)}
			/>
			<NamesField
				label="Keys, separated by commas"
				placeholder="CPU, CUDA"
				value={where}
				onChange={setWhere}
				choices={useKeys(begun(where).name)}
			/>
			<Button type="submit" primary>
				Show
			</Button>
		</form>
	);
}

/** How many names are offered, and how long the server is not asked while somebody types. */
const OFFERED = 12;
const REST = 150;

/** The operators of the project that a name may become. */
function useOperators(name: string): string[] {
	const { project } = route.useParams();
	const rested = useRested(name, REST);
	const found = useQuery({
		...searchQuery(project, rested, { limit: OFFERED }),
		enabled: rested !== "",
	});
	return name === "" ? [] : (found.data?.items ?? []).map(({ operator }) => operator);
}

/** The keys that begin so; shorter ones first. */
function useKeys(name: string): string[] {
	const { data } = useQuery(topicsQuery);
	if (name === "") return [];
	return (data ?? [])
		.filter(({ kind, id }) => kind === "dispatch-key" && id.toLowerCase().startsWith(name.toLowerCase()))
		.map(({ id }) => id)
		.sort((a, b) => a.length - b.length)
		.slice(0, OFFERED);
}

const FILES = [
	{ label: "CSV", media: "text/csv", end: "csv" },
	{ label: "Markdown", media: "text/markdown", end: "md" },
] as const;

/** The table in forms for other programs. */
function Files({ path, project }: { path: string; project: string }) {
	const [error, setError] = useState<unknown>();
	const take = async ({ media, end }: (typeof FILES)[number]) => {
		setError(undefined);
		try {
			await download(path, media, `${project}-support.${end}`);
		} catch (failure) {
			setError(failure);
		}
	};
	return (
		<>
			{FILES.map((file) => (
				<Button key={file.end} onClick={() => void take(file)}>
					Download {file.label}
				</Button>
			))}
			{error !== undefined && <ErrorView error={error} />}
		</>
	);
}

function Cells({ table }: { table: SupportData }) {
	const { project, keys, operators, from, to } = table;
	const last = { project, rev: placeAddress(to) };
	return (
		<Section
			title="Support"
			note={`${counted(operators.length, "operator")} from ${placeTitle(from)} to ${placeTitle(to)}`}
		>
			<Table label="Support, table" names>
				<thead>
					<tr>
						<th scope="col">Operator</th>
						{keys.map((key) => (
							<th key={key} scope="col">
								<Link to={keyPath(last, key)} className="mono target">
									{key}
								</Link>
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{operators.map(({ operator, cells }) => (
						<tr key={operator}>
							<th scope="row">
								<HistoryLink project={project} name={operator} />
							</th>
							{cells.map((cell) => (
								<td key={cell.key}>
									<CellView cell={cell} end={to} />
								</td>
							))}
						</tr>
					))}
				</tbody>
			</Table>
		</Section>
	);
}

type CellData = SupportData["operators"][number]["cells"][number];

interface CellProps {
	cell: CellData;
	/** The last revision of the table. */
	end: TimelinePlace;
}

/** What a cell comes to, and, opened, stretch by stretch why. */
function CellView({ cell, end }: CellProps) {
	const { verdict } = cell;
	return (
		<details className={styles.cell}>
			<summary className={verdict ? verdictFill(verdict) : styles.gone}>
				<span aria-hidden="true">{verdict ? verdictOf(verdict).glyph : "–"}</span> {supportWords(cell)}
			</summary>
			<ul>
				{cell.ranges.map((range) => (
					<li key={`${range.from.revision} ${range.from.label}`}>
						<span className="mono">{spanTitle(range.from, range.to, end)}</span>{" "}
						{range.verdict && <VerdictMark verdict={range.verdict} label />}{" "}
						<ReasonMark reason={range.reason ?? "missing"} label />
						{range.kernel && <code> {range.kernel}</code>}
						{range.because && ` ${range.because}`}
						{range.settled_by && `; this would settle it: ${range.settled_by}`}
					</li>
				))}
			</ul>
		</details>
	);
}
