import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Finding, type Place, projectsQuery } from "../../api/queries";
import { SeverityBadge } from "../../components/Badge";
import { Select } from "../../components/controls";
import { OperatorAt, RuleLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import { RevisionBox } from "../../components/RevisionBox";
import { count } from "../../lib/format";
import { lastProject, preferred } from "../../lib/projects";
import { titleOf } from "../../lib/revisions";
import { filePath } from "../../nav";
import type { Checked } from "./queries";
import styles from "./Validate.module.css";

/** How many findings of the revision are listed. */
const SHOWN = 100;

interface OverProps {
	project: string | undefined;
	rev: string | undefined;
	onChange: (project: string | undefined, rev: string | undefined) => void;
}

/** The choice of the revision that the entries are checked over. */
export function OverField({ project, rev, onChange }: OverProps) {
	const projects = useQuery(projectsQuery).data ?? [];
	const chosen = project ?? preferred(projects, lastProject());
	if (chosen === undefined) return null;
	return (
		<>
			{projects.length > 1 && (
				<Select
					label="Project"
					value={chosen}
					options={projects.map(({ name }) => ({ value: name, label: name }))}
					onChange={(name) => onChange(name, undefined)}
				/>
			)}
			<RevisionBox
				label="Over a revision"
				project={chosen}
				value={rev}
				any="none: on its own"
				onChange={(address) => onChange(address === undefined ? project : chosen, address)}
			/>
		</>
	);
}

/** What the entries do to the revision that they are checked over. */
export function OverSummary({ over }: { over: NonNullable<Checked["over"]> }) {
	const { place, added, replaced } = over;
	return (
		<span className={styles.over}>
			Over <Link to={filePath(place, "native_functions.yaml")}>{titleOf(place.rev)}</Link>
			{added.length > 0 && <>: adds {named(added)}</>}
			{replaced.length > 0 && (
				<>
					{added.length > 0 ? ", replaces " : ": replaces "}
					<Names place={place} names={replaced} />
				</>
			)}
		</span>
	);
}

/** So many names are written out. */
const NAMED = 3;

const rest = (names: readonly string[]) =>
	names.length > NAMED ? ` and ${count(names.length - NAMED)} more` : "";

const named = (names: readonly string[]) => names.slice(0, NAMED).join(", ") + rest(names);

function Names({ place, names }: { place: Place; names: readonly string[] }) {
	return (
		<>
			{names.slice(0, NAMED).map((name, at) => (
				<span key={name}>
					{at > 0 && ", "}
					<OperatorAt place={place} name={name} />
				</span>
			))}
			{rest(names)}
		</>
	);
}

/** The findings that the revision gets from the entries. */
export function Elsewhere({ over }: { over: NonNullable<Checked["over"]> }) {
	const { place, elsewhere } = over;
	if (elsewhere.length === 0) return null;
	return (
		<section className={styles.elsewhere} aria-label="Elsewhere in the revision">
			<h2>Elsewhere in {titleOf(place.rev)}</h2>
			<ul className={styles.findings}>
				{elsewhere.slice(0, SHOWN).map((finding) => (
					<Other key={JSON.stringify(finding)} place={place} finding={finding} />
				))}
			</ul>
			{elsewhere.length > SHOWN && (
				<p className="muted">{count(elsewhere.length - SHOWN)} more are not listed.</p>
			)}
		</section>
	);
}

function Other({ place, finding }: { place: Place; finding: Finding }) {
	const { file, span, operator, message, help } = finding;
	return (
		<li>
			<div className={styles.findingHead}>
				<SeverityBadge severity={finding.severity} />
				{operator && <OperatorAt place={place} name={operator} />}
				{file && (
					<Link to={filePath(place, file)} hash={`L${span.line}`}>
						{file}:{span.line}
					</Link>
				)}
				<RuleLink name={finding.rule} />
			</div>
			<p className={styles.message}>
				<Prose text={message} />
			</p>
			{help && (
				<p className={styles.help}>
					<Prose text={help} />
				</p>
			)}
		</li>
	);
}
