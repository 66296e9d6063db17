import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { matrixQuery } from "../../api/queries";
import { OperatorLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { RevisionBox } from "../../components/RevisionBox";
import { Async, ErrorView } from "../../components/States";
import { useAt } from "../../layout/place";
import { type Move, moves } from "../../lib/coverage";
import { csvOf } from "../../lib/csv";
import { count } from "../../lib/format";
import { revisionPath, segment } from "../../nav";
import styles from "./Backend.module.css";
import { Sheet } from "./Sheet";
import { useBackend } from "./useBackend";

const route = getRouteApi("/p/$project/r/$rev/backends/$key/upgrade");

/** What a key gained and lost since another revision. */
export default function ChangesTab() {
	const { place, key, view } = useBackend();
	const { against } = route.useSearch();
	const navigate = route.useNavigate();
	const other = { project: place.project, rev: against ?? "" };
	const named = useAt(against === undefined ? undefined : other);
	const before = useQuery({
		...matrixQuery(named.at ?? { project: "", digest: "" }),
		enabled: named.at !== undefined,
	});
	return (
		<Section title="Gained and lost" note="compared with another revision">
			<div>
				<RevisionBox
					label="Before"
					any="choose a revision"
					project={place.project}
					value={against}
					onChange={(against) => void navigate({ search: { against }, resetScroll: false })}
				/>
			</div>
			<p className="muted">
				For a backend outside PyTorch,{" "}
				<Link
					to="/p/$project/upgrade"
					params={{ project: place.project }}
					search={{ base: against, head: place.rev }}
					className="target"
				>
					plan the upgrade with its file
				</Link>
				: operators that are gone, kernels that no longer compile, and new operators that fail.
			</p>
			{named.error && <ErrorView error={named.error} retry={() => named.refetch()} />}
			{against !== undefined && !named.error && (
				<Async query={before}>
					{(old) => {
						const { gained, lost } = moves(old, view, key);
						const sheet = () =>
							csvOf([
								["operator", "before", "now"],
								...[...gained, ...lost].map((move) => [move.name, move.before, move.now]),
							]);
						return (
							<>
								<div className={styles.moves}>
									<Moves title="Gained" moves={gained} />
									<Moves title="Lost" moves={lost} before={other} />
								</div>
								<div>
									<Sheet
										name={`${place.project}-${against}-${place.rev}-${key}.csv`}
										make={sheet}
									/>
								</div>
							</>
						);
					}}
				</Async>
			)}
		</Section>
	);
}

const WORDS = {
	absent: "operator does not exist",
	direct: "own kernel",
	inherited: "works otherwise",
	missing: "fails",
	unknown: "unknown",
	other: "of other backends",
};

function Moves({
	title,
	moves,
	before,
}: {
	title: string;
	moves: Move[];
	before?: { project: string; rev: string };
}) {
	return (
		<Card>
			<h3>
				{title} {count(moves.length)}
			</h3>
			{moves.length === 0 ? (
				<p className="muted">Nothing.</p>
			) : (
				<ul className={styles.moved}>
					{moves.map((move) => (
						<li key={move.name}>
							{move.now === "absent" && before ? (
								<Link
									to={revisionPath(before, `/operators/${segment(move.name)}`)}
									className="mono target"
								>
									{move.name}
								</Link>
							) : (
								<OperatorLink name={move.name} />
							)}
							<span className="muted">
								{WORDS[move.before]} → {WORDS[move.now]}
							</span>
						</li>
					))}
				</ul>
			)}
		</Card>
	);
}
