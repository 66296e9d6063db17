import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { namesQuery, projectsQuery } from "../../api/queries";
import { Button, Copy, Field, FileButton, Select } from "../../components/controls";
import { RevisionBox } from "../../components/RevisionBox";
import { Card, Page, Section } from "../../components/Page";
import { Async, Empty, ErrorView, Loading } from "../../components/States";
import { placeAddress } from "../../lib/history";
import { segment } from "../../nav";
import type { UpgradeSearch } from "../../routes/history";
import { givenUpgradeQuery, upgradeQuery, upgradeText } from "./queries";
import { ReportView } from "./UpgradeReport";
import styles from "./Upgrade.module.css";
import { useKeptFile } from "./useKeptFile";

const route = getRouteApi("/p/$project/upgrade");

const EXAMPLE = `backend: PrivateUse1
cpp_namespace: at::acme
supported:
- add.Tensor
- addmm
- bmm
- index_put_
- max_pool2d
`;

const BEGINNING = { name: "", text: EXAMPLE };

/** What a new revision changes for an out-of-tree backend. */
export default function Upgrade() {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: UpgradeSearch) =>
		void navigate({ to: ".", search: { ...search, ...change }, resetScroll: false });
	// Those to begin with: the newest and the one before it.
	const newest = useQuery(namesQuery(project, "", 2));
	const projects = useQuery(projectsQuery);
	const others = (projects.data ?? []).filter(({ name }) => name !== project);
	const [last, before] = (newest.data?.items ?? []).map(placeAddress);
	const head = search.head ?? last;
	const base = search.base ?? before;
	const range = `${base}...${head}`;
	const api =
		search.backend &&
		`/v1/projects/${segment(project)}/compare/${segment(range)}/backends/${segment(search.backend)}`;
	return (
		<Page
			title="Upgrade"
			heading={`Upgrade of ${project} for a backend`}
			lead="What a new revision means for a backend file: operators that are gone, kernels that no longer compile, and new operators that fail."
			api={api}
		>
			<Async query={newest}>
				{() => {
					if (head === undefined || base === undefined) {
						return (
							<Empty title="This needs at least two revisions">
								<p>
									Import another release: <code>opatlas import torch==2.15.0</code>
								</p>
							</Empty>
						);
					}
					return (
						<>
							<div className={styles.choice}>
								<RevisionBox
									label="Base (old)"
									project={project}
									value={base}
									onChange={(base) => set({ base })}
								/>
								<RevisionBox
									label="Head (new)"
									project={project}
									value={head}
									onChange={(head) => set({ head })}
								/>
								{(others.length > 0 || search.backend) && (
									<Select
										label="Backend"
										any="upload a file"
										value={search.backend}
										options={others.map(({ name }) => ({ value: name, label: name }))}
										onChange={(backend) => set({ backend })}
									/>
								)}
							</div>
							{search.backend === undefined ? (
								<Given project={project} range={range} />
							) : (
								<Stored project={project} range={range} backend={search.backend} />
							)}
						</>
					);
				}}
			</Async>
		</Page>
	);
}

interface SidesProps {
	project: string;
	range: string;
}

/** For the backend file of a project. */
function Stored({ project, range, backend }: SidesProps & { backend: string }) {
	const query = useQuery(upgradeQuery(project, range, backend));
	const ask = (accept: string) => upgradeText(project, range, { backend }, accept);
	return (
		<Async query={query}>
			{(report) => (
				<ReportView project={project} report={report} file={report.file} ask={ask} />
			)}
		</Async>
	);
}

/** For a backend file that is typed or chosen; it is sent on demand, and nothing is stored. */
function Given({ project, range }: SidesProps) {
	const { file, setFile, asked, compare, link, isBroken } = useKeptFile(BEGINNING);
	const query = useQuery({
		...givenUpgradeQuery(project, range, asked ?? BEGINNING),
		enabled: asked !== undefined,
	});
	const take = async (chosen: File) => {
		const given = { name: chosen.name.replace(/\.ya?ml$/, ""), text: await chosen.text() };
		setFile(given);
		compare(given);
	};
	const ask = (accept: string) => upgradeText(project, range, asked ?? file, accept);
	return (
		<>
			<Section title="Backend file" note="sent to the server, not stored">
				<Card>
					<div className={styles.given}>
						<Field label="Content of the backend file">
							{(id) => (
								<textarea
									id={id}
									className={styles.text}
									rows={10}
									spellCheck={false}
									value={file.text}
									onChange={(event) => setFile({ name: "", text: event.target.value })}
								/>
							)}
						</Field>
						<div className={styles.choice}>
							<FileButton
								accept=".yaml,.yml"
								chosen={file.name === "" ? undefined : `${file.name}.yaml`}
								onFile={(chosen) => void take(chosen)}
							>
								Choose a file …
							</FileButton>
							<Button primary disabled={query.isFetching} onClick={() => compare(file)}>
								{query.isFetching ? "Comparing …" : "Compare the file"}
							</Button>
							{asked && link !== undefined && <Copy text={link}>Copy link with the file</Copy>}
						</div>
						{isBroken && (
							<p role="status">
								The link does not contain a readable file. It may have been cut off.
							</p>
						)}
					</div>
				</Card>
			</Section>
			{asked && query.isPending && <Loading />}
			{asked && query.isError && (
				<ErrorView error={query.error} retry={() => query.refetch()} />
			)}
			{asked && query.data && (
				<ReportView
					project={project}
					report={query.data}
					file={asked.name === "" ? undefined : `${asked.name}.yaml`}
					ask={ask}
				/>
			)}
		</>
	);
}
