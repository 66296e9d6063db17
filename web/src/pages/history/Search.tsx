import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { searchQuery } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/controls";
import { HistoryLink, OperatorAt } from "../../components/links";
import { Page, Section } from "../../components/Page";
import { ROW, Rows } from "../../components/Rows";
import { SearchInput } from "../../components/SearchInput";
import { Async, Empty } from "../../components/States";
import { useExplain } from "../../layout/useExplain";
import { lackSearch, lackWords } from "../../layout/wayHits";
import { counted } from "../../lib/format";
import { isMessage } from "../../lib/message";
import { placeAddress, placeTitle, rangeTitle } from "../../lib/history";
import { segment } from "../../nav";
import styles from "./Search.module.css";

const route = getRouteApi("/p/$project/search");

/** How many operators are shown. */
const SHOWN = 200;

/** Operators of any revision, by name, argument, type or kernel. */
export default function Search() {
	const { project } = route.useParams();
	const { q } = route.useSearch();
	const navigate = route.useNavigate();
	const explain = useExplain();
	const sought = q?.trim() ?? "";
	const query = useQuery({ ...searchQuery(project, sought, { limit: SHOWN }), enabled: sought !== "" });
	return (
		<Page
			title={sought === "" ? "Search all revisions" : `${sought}, in all revisions`}
			heading={`Search all revisions of ${project}`}
			lead="Search operators by name, argument, type or kernel, including removed ones."
			api={
				sought === ""
					? undefined
					: `/v1/projects/${segment(project)}/search?q=${segment(sought)}&limit=${SHOWN}`
			}
		>
			<div>
				<SearchInput
					label="Words"
					placeholder="add_mps"
					value={q}
					onChange={(q) =>
						void navigate({ to: ".", search: { q }, replace: true, resetScroll: false })
					}
				/>
			</div>
			{isMessage(sought) && (
				<p>
					This looks like an error message or a call.{" "}
					<Button onClick={() => explain(sought)}>Explain it</Button>
				</p>
			)}
			{sought === "" ? (
				<Empty title="Enter a search text">
					<p>
						Search for part of a name, an argument, a type or a kernel, for example{" "}
						<code>addmm_out_mps</code>.
					</p>
				</Empty>
			) : (
				<Async query={query}>
					{({ items, way }) => (
						<>
							{way && (
								<p>
									<Link
										to="/p/$project/r/$rev/backends"
										params={{ project, rev: "latest" }}
										search={lackSearch(way)}
										className="target"
									>
										See {lackWords(way)}
									</Link>
								</p>
							)}
							<Section
								title="Operators"
								note={
									items.length === SHOWN
										? `the first ${SHOWN}: add words to narrow the search`
										: counted(items.length, "operator")
								}
							>
								{items.length === 0 ? (
									<Empty title="No results" />
								) : (
									<Rows>
										<ul className={styles.found}>
											{items.map(({ operator, current, present, changed }) => {
												const last = present.at(-1)?.to;
												const rev = last && placeAddress(last);
												return (
													<li key={operator} {...ROW}>
														{rev ? (
															<OperatorAt place={{ project, rev }} name={operator} />
														) : (
															<code>{operator}</code>
														)}
														{!current && <Badge tone="warning">only in older revisions</Badge>}
														<span className={styles.where}>
															{present
																.map(({ from, to }) => rangeTitle(from, to))
																.join(", ")}
															{changed.length > 0 &&
																`; changed in ${changed.map(placeTitle).join(", ")}`}
														</span>
														<HistoryLink project={project} name={operator}>
															history
															<span className="visually-hidden"> of {operator}</span>
														</HistoryLink>
													</li>
												);
											})}
										</ul>
									</Rows>
								)}
							</Section>
						</>
					)}
				</Async>
			)}
		</Page>
	);
}
