import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useRouterState } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useRef } from "react";
import {
	apiPath,
	type Finding,
	fileFindingsQuery,
	fileQuery,
	matrixQuery,
	operatorQuery,
} from "../../api/queries";
import { Button, ButtonLink, Select } from "../../components/controls";
import { FoldedFilters } from "../../components/Filters";
import { Page } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { SearchInput } from "../../components/SearchInput";
import { Async } from "../../components/States";
import { useStepKeys } from "../../components/stepKeys";
import { usePlace } from "../../layout/place";
import { count, counted } from "../../lib/format";
import { inFile, lineOf, linesWith, nextStop, sourceRows, stops } from "../../lib/sourceLines";
import { yamlParts } from "../../lib/yamlLine";
import { revisionPath, segment } from "../../nav";
import { SEVERITIES, type SourceSearch } from "../../routes/source";
import { Lines } from "./Lines";
import styles from "./Source.module.css";

const route = getRouteApi("/p/$project/r/$rev/files/$file");

const SEVERITY_NAMES = { error: "Errors", warning: "Warnings", info: "Notes" } as const;

const NOT_WRITTEN = "This operator is generated and has no entry in this file.";

/** A whole file of a revision, with what the rules find at its lines. */
export default function Source() {
	const place = usePlace();
	const { file } = route.useParams();
	const text = useQuery(fileQuery(place, file));
	const findings = useQuery(fileFindingsQuery(place));
	const api = apiPath(place, `/files/${segment(file)}`);
	return (
		<Page
			title={`${file} of ${place.project} ${place.rev}`}
			heading={<span className="mono">{file}</span>}
			lead={
				<>
					The file in{" "}
					<Link to={revisionPath(place)} className={styles.revision}>
						{place.project} {place.rev}
					</Link>
					, unchanged.
				</>
			}
			actions={
				<ButtonLink href={api} download={file}>
					Download
				</ButtonLink>
			}
			api={api}
			wide
		>
			<Async query={text}>
				{(text) => (
					<Async query={findings}>{(found) => <Body text={text} findings={found} />}</Async>
				)}
			</Async>
		</Page>
	);
}

function Body({ text, findings }: { text: string; findings: readonly Finding[] }) {
	const { file } = route.useParams();
	const search = route.useSearch();
	const { severity, rule, q } = search;
	const of = useMemo(() => inFile(findings, file), [findings, file]);
	const marked = useMemo(
		() =>
			of.filter(
				(finding) =>
					(severity === undefined || finding.severity === severity) &&
					(rule === undefined || finding.rule === rule),
			),
		[of, severity, rule],
	);
	const rows = useMemo(() => sourceRows(text, marked), [text, marked]);
	const lines = useMemo(() => stops(marked), [marked]);
	const { at, go, missing } = useLine(search.operator);
	const step = (by: number) => {
		const line = nextStop(lines, at, by);
		if (line !== undefined) go(line);
	};
	useStepKeys(step);
	const parts = useParts();
	return (
		<div className={styles.body}>
			<div className={styles.tools}>
				<Filters findings={of} search={search} />
				<p className={styles.said} role="status">
					{said(marked.length, lines, at)}
				</p>
				<Button disabled={nextStop(lines, at, -1) === undefined} onClick={() => step(-1)}>
					Previous finding <kbd>p</kbd>
				</Button>
				<Button disabled={nextStop(lines, at, 1) === undefined} onClick={() => step(1)}>
					Next finding <kbd>n</kbd>
				</Button>
			</div>
			<Find text={text} search={search} at={at} go={go} />
			{missing !== undefined && (
				<p className="muted" role="status">
					<code>{search.operator}</code>: <Prose text={missing} />
				</p>
			)}
			<Lines label={`Lines of ${file}`} rows={rows} at={at} q={q} parts={parts} />
		</div>
	);
}

interface FindProps {
	text: string;
	search: SourceSearch;
	at: number | undefined;
	go: (line: number) => void;
}

/** Looks for a text in the whole file, of which the browser sees only what is drawn. */
function Find({ text, search, at, go }: FindProps) {
	const navigate = route.useNavigate();
	const lines = useMemo(() => linesWith(text, search.q), [text, search.q]);
	// From the last match on with the first, and from the first back with the last.
	const next = (by: number) => nextStop(lines, at, by) ?? nextStop(lines, undefined, by);
	const step = (by: number) => {
		const line = next(by);
		if (line !== undefined) go(line);
	};
	const here = at === undefined ? -1 : lines.indexOf(at);
	const all = counted(lines.length, "line");
	return (
		<search
			className={styles.find}
			aria-label="Find in this file"
			onKeyDown={(event) => {
				if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
			}}
		>
			<SearchInput
				label="Find in this file"
				placeholder="add_out"
				value={search.q}
				onChange={(q) =>
					void navigate({
						to: ".",
						search: { ...search, q },
						hash: true,
						replace: true,
						resetScroll: false,
						hashScrollIntoView: false,
					})
				}
			/>
			{search.q !== undefined && (
				<>
					<Button disabled={lines.length === 0} onClick={() => step(-1)}>
						Previous match
					</Button>
					<Button disabled={lines.length === 0} onClick={() => step(1)}>
						Next match
					</Button>
					<p className={styles.said} role="status">
						{here < 0 ? `found on ${all}` : `${count(here + 1)} of ${all}`}
					</p>
				</>
			)}
		</search>
	);
}

/** How the lines of the file are drawn: those of YAML with their fields, comments and operators. */
function useParts() {
	const place = usePlace();
	const { file } = route.useParams();
	const isYaml = /\.ya?ml$/.test(file);
	const matrix = useQuery({ ...matrixQuery(place), enabled: isYaml });
	const operators = matrix.data?.operators;
	return useMemo(() => {
		if (!isYaml) return undefined;
		const names = new Set(operators?.map(({ name }) => name));
		return (line: string) => yamlParts(line, (name) => names.has(name));
	}, [isYaml, operators]);
}

function said(findings: number, lines: readonly number[], at: number | undefined): string {
	if (findings === 0) return "No findings here";
	const here = at === undefined ? -1 : lines.indexOf(at);
	const all = `${counted(findings, "finding")} on ${counted(lines.length, "line")}`;
	return here < 0 ? all : `${all}, ${count(here + 1)} of ${count(lines.length)}`;
}

/** The line in view, which the fragment names; without one, that of the operator asked for. */
function useLine(operator: string | undefined) {
	const place = usePlace();
	const { file } = route.useParams();
	const at = useRouterState({ select: (state) => lineOf(state.location.hash) });
	const navigate = route.useNavigate();
	const go = useCallback(
		(line: number, replace = false) =>
			void navigate({
				to: ".",
				search: true,
				hash: `L${line}`,
				replace,
				resetScroll: false,
				hashScrollIntoView: false,
			}),
		[navigate],
	);
	const sought = useQuery({
		...operatorQuery(place, operator ?? ""),
		enabled: operator !== undefined && at === undefined,
	});
	const source = sought.data?.source;
	// Once for each operator: where another page is on its way, the address has no line either.
	const begun = useRef<string>(undefined);
	useEffect(() => {
		if (begun.current === operator || source?.file !== file) return;
		begun.current = operator;
		if (at === undefined) go(source.line, true);
	}, [at, operator, source, file, go]);
	const lacks = sought.isSuccess && source?.file !== file;
	return { at, go, missing: sought.error?.message ?? (lacks ? NOT_WRITTEN : undefined) };
}

function Filters({ findings, search }: { findings: readonly Finding[]; search: SourceSearch }) {
	const navigate = route.useNavigate();
	const set = (change: SourceSearch) =>
		void navigate({
			to: ".",
			search: { ...search, ...change },
			hash: true,
			resetScroll: false,
			hashScrollIntoView: false,
		});
	const counts = (value: (finding: Finding) => string) => {
		const counts = new Map<string, number>();
		for (const finding of findings) counts.set(value(finding), (counts.get(value(finding)) ?? 0) + 1);
		return counts;
	};
	const bySeverity = counts(({ severity }) => severity);
	const byRule = [...counts(({ rule }) => rule)].sort(
		([a, n], [b, m]) => m - n || a.localeCompare(b),
	);
	if (findings.length === 0) return null;
	return (
		<FoldedFilters set={[search.severity, search.rule].filter((value) => value).length}>
			<Select
				label="Severity"
				any="any"
				value={search.severity}
				options={SEVERITIES.map((value) => ({
					value,
					label: `${SEVERITY_NAMES[value]} (${count(bySeverity.get(value) ?? 0)})`,
				}))}
				onChange={(value) => set({ severity: SEVERITIES.find((known) => known === value) })}
			/>
			<Select
				label="Rule"
				any="any"
				value={search.rule}
				options={byRule.map(([value, n]) => ({ value, label: `${value} (${count(n)})` }))}
				onChange={(rule) => set({ rule })}
			/>
		</FoldedFilters>
	);
}
