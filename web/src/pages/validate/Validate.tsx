import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo, useRef, useState } from "react";
import { projectsQuery, releasesQuery } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { Button, Copy, Select } from "../../components/controls";
import { Page } from "../../components/Page";
import { ErrorView, Loading } from "../../components/States";
import { useStepKeys } from "../../components/stepKeys";
import { Tabs } from "../../components/Tabs";
import { count, counted } from "../../lib/format";
import { lazyPart } from "../../lib/lazyPage";
import { inOrder } from "../../lib/positions";
import { lastProject, preferred } from "../../lib/projects";
import { VALIDATE_TABS, type ValidateSearch } from "../../routes/validate";
import type { EditorHandle } from "./Editor";
import { SAMPLES } from "./examples";
import { FindingsTab } from "./FindingsTab";
import { FIX_ALL } from "./keys";
import { DispatchTab, ImplementTab, OperatorsTab } from "./OperatorTabs";
import { Elsewhere, OverField, OverSummary } from "./Over";
import { type Checked, validationQuery } from "./queries";
import { Start } from "./Start";
import { useText } from "./useText";
import { useDebounced } from "./useTyping";
import styles from "./Validate.module.css";

const Editor = lazyPart(() => import("./Editor"));
const route = getRouteApi("/validate");

/** How long after the last letter the server is asked, in milliseconds. */
const REST = 150;

/** An editor whose text is judged while one types. */
export default function Validate() {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const { text, version, setText, replace, note } = useText(search.rule);
	const set = (change: ValidateSearch) =>
		void navigate({
			to: ".",
			search: { ...search, ...change },
			hash: true,
			replace: true,
			resetScroll: false,
			hashScrollIntoView: false,
		});
	return (
		<Page
			title="Validate"
			lead="Type or paste operator declarations. The rules are checked as you type. Nothing is stored. A link to this page contains the text in its fragment, which browsers do not send to the server."
			wide
			actions={
				<>
					<OverField
						project={search.project}
						rev={search.over}
						onChange={(project, over) => set({ project, over })}
					/>
					{/* A revision has a release of its own. */}
					{search.over === undefined && (
						<Releases value={search.release} onChange={(release) => set({ release })} />
					)}
					<Select
						label="Begin with"
						any="an example …"
						value={undefined}
						options={SAMPLES.map(({ id, title }) => ({ value: id, label: title }))}
						onChange={(id) => {
							const sample = SAMPLES.find((sample) => sample.id === id);
							if (sample) replace(sample.text);
						}}
					/>
					<CopyLink />
				</>
			}
		>
			{note && (
				<p role="status" className={styles.note}>
					{note}
				</p>
			)}
			{text === undefined ? (
				<Loading />
			) : (
				<Workbench
					text={text}
					version={version}
					setText={setText}
					replace={replace}
					search={search}
					set={set}
				/>
			)}
		</Page>
	);
}

/** Copies the address as it is when it is pressed; it follows the text. */
function CopyLink() {
	const href = route.useMatch({ select: () => window.location.href });
	return <Copy text={href}>Copy link</Copy>;
}

function Releases({
	value,
	onChange,
}: {
	value: string | undefined;
	onChange: (release: string | undefined) => void;
}) {
	const { data } = useQuery(releasesQuery);
	const newest = data?.find((release) => release.newest)?.name;
	const options = [...(data ?? [])]
		.reverse()
		.filter((release) => !release.newest)
		.map(({ name }) => ({ value: name, label: name }));
	return (
		<Select
			label="Release"
			any={newest ? `${newest}, the newest` : "the newest"}
			value={value}
			options={options}
			onChange={onChange}
		/>
	);
}

interface WorkbenchProps {
	text: string;
	version: number;
	setText: (text: string) => void;
	replace: (text: string) => void;
	search: ValidateSearch;
	set: (change: ValidateSearch) => void;
}

function Workbench({ text, version, setText, replace, search, set }: WorkbenchProps) {
	const navigate = route.useNavigate();
	const rested = useDebounced(text, REST);
	const projects = useQuery({ ...projectsQuery, enabled: search.over !== undefined });
	const project = search.project ?? preferred(projects.data ?? [], lastProject());
	const place =
		search.over !== undefined && project !== undefined
			? { project, rev: search.over }
			: undefined;
	const query = useQuery({
		...validationQuery(rested, search.release, place),
		enabled: search.over === undefined || place !== undefined,
		placeholderData: keepPreviousData,
	});
	const release = place === undefined ? search.release : query.data?.release;
	const isBlank = text.trim() === "";
	const findings = useMemo(
		() => (isBlank ? [] : inOrder(query.data?.findings ?? [])),
		[query.data, isBlank],
	);
	const [canUndo, setCanUndo] = useState(false);
	const fixes = findings.filter(({ fix }) => fix).length;
	const editor = useRef<EditorHandle>(null);
	const [at, setAt] = useState(-1);
	useEffect(() => setAt(-1), [findings]);
	const show = (index: number, focus = false) => {
		setAt(index);
		editor.current?.show(index, focus);
	};
	const step = (by: number) => {
		if (findings.length === 0) return;
		const from = at < 0 && by < 0 ? 0 : at;
		show((from + by + findings.length) % findings.length);
	};
	useStepKeys(step);
	const tab = search.tab ?? "findings";
	const isBehind = query.isFetching || rested !== text;
	return (
		<div className={styles.bench}>
			<div className={styles.editor}>
				<Suspense fallback={<Loading label="Loading the editor" />}>
					<Editor
						text={text}
						version={version}
						findings={findings}
						checked={query.data?.text}
						onChange={setText}
						onUndoable={setCanUndo}
						onOpen={(path) => void navigate({ to: path })}
						handle={editor}
					/>
				</Suspense>
			</div>
			<div className={styles.results}>
				{!isBlank && <Verdict data={query.data} isBehind={isBehind} />}
				<Tools
					fixes={query.data?.text === text ? fixes : 0}
					canUndo={canUndo}
					isBlank={isBlank}
					editor={editor}
					onClear={() => replace("")}
				/>
				{query.isError && <ErrorView error={query.error} retry={() => query.refetch()} />}
				<Tabs
					label="Results"
					value={tab}
					tabs={[
						{ id: "findings", label: `Findings (${count(findings.length)})` },
						{
							id: "operators",
							label: query.data
								? `Operators (${count(query.data.summary.operators)})`
								: "Operators",
						},
						{ id: "dispatch", label: "Dispatch table" },
						{ id: "implement", label: "Implement it" },
					]}
					onChange={(id) =>
						set({ tab: VALIDATE_TABS.find((known) => known === id && id !== "findings") })
					}
				>
					{tab === "findings" && isBlank && <Start onChoose={replace} />}
					{tab === "findings" && !isBlank && query.data && (
						<FindingsTab
							findings={findings}
							at={at}
							isBehind={query.data.text !== text}
							onShow={(index) => show(index, true)}
							onStep={step}
							onFix={(index) => editor.current?.fix(index)}
						/>
					)}
					{tab === "findings" && !isBlank && query.data?.over && (
						<Elsewhere over={query.data.over} />
					)}
					{tab === "operators" && (
						<OperatorsTab
							text={rested}
							release={release}
							onTable={(operator) => set({ tab: "dispatch", operator })}
							onImplement={(operator) => set({ tab: "implement", operator })}
						/>
					)}
					{tab === "dispatch" && (
						<DispatchTab
							text={rested}
							release={release}
							operator={search.operator}
							onOperator={(operator) => set({ operator })}
						/>
					)}
					{tab === "implement" && (
						<ImplementTab
							text={rested}
							release={release}
							operator={search.operator}
							onOperator={(operator) => set({ operator })}
							at={search.key}
							onKey={(key) => set({ key })}
						/>
					)}
				</Tabs>
			</div>
		</div>
	);
}

interface ToolsProps {
	/** How many fixes there are for the text as it is. */
	fixes: number;
	canUndo: boolean;
	isBlank: boolean;
	editor: { current: EditorHandle | null };
	onClear: () => void;
}

/** What can be done with the whole text. */
function Tools({ fixes, canUndo, isBlank, editor, onClear }: ToolsProps) {
	return (
		<div className={styles.tools} role="group" aria-label="Text">
			<Button
				primary={fixes > 0}
				aria-disabled={fixes === 0}
				aria-keyshortcuts={FIX_ALL.replaceAll("-", "+")}
				title={`${FIX_ALL.replaceAll("-", "+")} in the editor`}
				onClick={() => editor.current?.fixAll()}
			>
				Fix all ({count(fixes)})
			</Button>
			<Button
				aria-disabled={!canUndo}
				title="Control+z in the editor"
				onClick={() => editor.current?.undo()}
			>
				Undo
			</Button>
			<Button aria-disabled={isBlank} onClick={onClear}>
				Clear the editor
			</Button>
		</div>
	);
}

interface VerdictProps {
	data: Checked | undefined;
	isBehind: boolean;
}

function Verdict({ data, isBehind }: VerdictProps) {
	if (!data) return <Loading lines={1} label="Checking" />;
	const { errors, warnings, infos } = data.summary;
	return (
		<div className={styles.verdict} role="status" data-valid={data.valid} data-behind={isBehind}>
			<strong>
				{data.valid ? `PyTorch ${data.release} takes this` : `PyTorch ${data.release} refuses this`}
			</strong>
			{errors > 0 && <Badge tone="error">{counted(errors, "error")}</Badge>}
			{warnings > 0 && <Badge tone="warning">{counted(warnings, "warning")}</Badge>}
			{infos > 0 && <Badge tone="info">{counted(infos, "note")}</Badge>}
			{data.over && <OverSummary over={data.over} />}
			{data.notes.map((note) => (
				<span key={note} className="muted">
					{note}
				</span>
			))}
		</div>
	);
}
