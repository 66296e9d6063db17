import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Operator, stepsQuery } from "../../api/queries";
import { Select } from "../../components/controls";
import { KeyLink } from "../../components/links";
import { Section } from "../../components/Page";
import { Async } from "../../components/States";
import { verdictClass, VerdictLegend, VerdictMark } from "../../components/VerdictMark";
import { usePlace } from "../../layout/place";
import { placeTitle, rangeTitle, type TimelinePlace } from "../../lib/history";
import { mainOf, type Stretch, stretches } from "../../lib/names";
import { verdictOf } from "../../lib/verdicts";
import { supportQuery } from "../history/queries";
import styles from "./Name.module.css";

/** The backends that are shown. */
const KEYS = "CPU,CUDA,MPS,XPU,PrivateUse1";

const route = getRouteApi("/p/$project/r/$rev/names/$name");

/** Where one operator of the name runs, by backend and revision. */
export function NameSupport({ operators }: { operators: readonly Operator[] }) {
	const { project } = usePlace();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const chosen = operators.find(({ name }) => name === search.form) ?? mainOf(operators);
	const name = chosen?.name ?? "";
	const support = useQuery({ ...supportQuery(project, name, KEYS), enabled: name !== "" });
	const points = useQuery(stepsQuery(project));
	const set = (form: string | undefined) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, form }),
			replace: true,
			resetScroll: false,
		});
	return (
		<Section
			title="Support"
			note="by backend and revision"
			actions={
				operators.length > 1 && (
					<Select
						label="Operator"
						value={name}
						options={operators.map(({ name }) => ({ value: name, label: name }))}
						onChange={set}
					/>
				)
			}
		>
			<Async query={support}>
				{({ operators: [of] }) => (
					<Async query={points}>
						{(order) => (
							<div className={styles.strips}>
								<VerdictLegend />
								{of?.cells.map(({ key, ranges }) => (
									<Strip key={key} name={key} stretches={stretches(order, ranges)} />
								))}
								<Ends order={order} />
							</div>
						)}
					</Async>
				)}
			</Async>
		</Section>
	);
}

/** What served a key, from the first revision to the last; as wide as it lasted. */
function Strip({ name, stretches }: { name: string; stretches: readonly Stretch[] }) {
	return (
		<div className={styles.strip}>
			<span className={styles.key}>
				<KeyLink name={name} />
			</span>
			<ol aria-label={`Support on ${name}`}>
				{stretches.map((stretch) => (
					<Part key={placeTitle(stretch.from)} stretch={stretch} />
				))}
			</ol>
		</div>
	);
}

function Part({ stretch: { from, to, length, range } }: { stretch: Stretch }) {
	const title = rangeTitle(from, to);
	const verdict = range?.verdict ?? (range ? "unknown" : undefined);
	const said = verdict === undefined ? "does not exist" : verdictOf(verdict).short;
	const by = range?.kernel ? ` by ${range.kernel}` : "";
	return (
		<li
			className={`${styles.part} ${verdict === undefined ? "" : verdictClass(verdict)}`}
			title={`${title}: ${said}${by}`}
			ref={(node) => {
				// The policy forbids styles in markup.
				node?.style.setProperty("flex-grow", String(length));
			}}
		>
			{verdict === undefined ? (
				<span aria-hidden="true">–</span>
			) : (
				<VerdictMark verdict={verdict} />
			)}
			<span className={styles.since}>
				<span className="visually-hidden">
					{verdict === undefined ? "does not exist, " : ""}
					{title}
					{by}
				</span>
				<span aria-hidden="true">{placeTitle(from)}</span>
			</span>
		</li>
	);
}

/** The first and the last revision, under the strips. */
function Ends({ order }: { order: readonly TimelinePlace[] }) {
	const [first, last] = [order[0], order.at(-1)];
	if (!first || !last || first === last) return null;
	return (
		<p className={styles.ends} aria-hidden="true">
			<span>{placeTitle(first)}</span>
			<span>{placeTitle(last)}</span>
		</p>
	);
}
