import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type DragEvent, useState } from "react";
import { Button, Field, FileButton, TextInput } from "../../components/controls";
import { Page, Section } from "../../components/Page";
import { RevisionBox } from "../../components/RevisionBox";
import { Async, Empty } from "../../components/States";
import { slim } from "../../lib/slim";
import type { PreflightSearch } from "../../routes/ask";
import styles from "./Ask.module.css";
import { PreflightReport } from "./PreflightReport";
import { type Given, preflightQuery } from "./queries";

const route = getRouteApi("/p/$project/preflight");

const BACKENDS = "CPU,CUDA,MPS";

const EXAMPLE = `aten.conv2d.default
aten.relu.default
aten.grid_sampler_3d.default
aten.linear.default
`;

/** Whether a model runs on backends, and what would make it run. */
export default function Preflight() {
	const { project } = route.useParams();
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: PreflightSearch) =>
		void navigate({
			to: ".",
			search: { ...search, ...change },
			replace: true,
			resetScroll: false,
		});
	const { backend = BACKENDS, rev, training = false } = search;
	const [given, setGiven] = useState<Given>();
	const query = useQuery(preflightQuery(given, { project, rev, backend, training }));
	return (
		<Page
			title="Preflight"
			heading="Does my model run there?"
			lead="Where a model fails first on each backend, and which kernels would make it run."
		>
			<div className={styles.choice}>
				<Field label="Backends">
					{(id) => (
						<TextInput
							id={id}
							value={backend}
							onChange={(backend) => set({ backend: backend || undefined })}
						/>
					)}
				</Field>
				<RevisionBox
					label="Revision"
					project={project}
					value={rev ?? "latest"}
					onChange={(rev) => set({ rev })}
				/>
				<label className={styles.check}>
					<input
						type="checkbox"
						checked={training}
						onChange={(event) => set({ training: event.target.checked || undefined })}
					/>
					Training
				</label>
			</div>
			<ModelBox onGiven={setGiven} />
			{given ? (
				<Async query={query}>
					{(answer) => <PreflightReport project={project} answer={answer} />}
				</Async>
			) : (
				<Empty title="Choose a model">
					<p>
						An exported program (<code>.pt2</code>), a TorchScript archive, the text of a graph, or a list
						of operators. Large files stay here: only their graph is sent, and nothing is stored.
					</p>
				</Empty>
			)}
		</Page>
	);
}

/** Takes a model: dropped, chosen or typed. */
function ModelBox({ onGiven }: { onGiven: (given: Given) => void }) {
	const [text, setText] = useState(EXAMPLE);
	const [over, setOver] = useState(false);
	const [fault, setFault] = useState<string>();
	const [chosen, setChosen] = useState<string>();
	const take = async (file: File | undefined) => {
		if (!file) return;
		setFault(undefined);
		setChosen(file.name);
		try {
			onGiven({ id: `${file.name} ${file.size} ${file.lastModified}`, model: await slim(file) });
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			setFault(`${file.name} could not be read here: ${why} Use opatlas preflight on the command line.`);
		}
	};
	const drop = (event: DragEvent) => {
		event.preventDefault();
		setOver(false);
		void take(event.dataTransfer.files[0]);
	};
	return (
		<Section title="Model" note="sent to the server, not stored">
			<div
				className={`${styles.given} ${styles.drop}`}
				data-over={over || undefined}
				onDragOver={(event) => {
					event.preventDefault();
					setOver(true);
				}}
				onDragLeave={() => setOver(false)}
				onDrop={drop}
			>
				<div className={styles.choice}>
					<FileButton chosen={chosen} onFile={(file) => void take(file)}>
						Choose a file …
					</FileButton>
					<span className="muted">or drop it here</span>
				</div>
				<Field label="Or paste operators or a graph">
					{(id) => (
						<textarea
							id={id}
							className={styles.text}
							rows={6}
							spellCheck={false}
							value={text}
							onChange={(event) => setText(event.target.value)}
						/>
					)}
				</Field>
				<div className={styles.choice}>
					<Button primary onClick={() => onGiven({ id: text, model: new Blob([text]) })}>
						Check the text
					</Button>
				</div>
				{fault && <p role="alert">{fault}</p>}
			</div>
		</Section>
	);
}
