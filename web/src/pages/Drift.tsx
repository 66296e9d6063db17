import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, data } from "../api/client";
import { apiPath, type Content } from "../api/queries";
import { ButtonLink, Select } from "../components/controls";
import { OperatorLink } from "../components/links";
import { Card, Section } from "../components/Page";
import { Async, Empty } from "../components/States";
import { usePlace } from "../layout/place";
import { byKind, type DriftView, saysOf } from "../lib/drift";
import { count, counted, day } from "../lib/format";
import styles from "./Revision.module.css";

/** How many differences of a kind are listed; the API has all. */
const SHOWN = 200;

const path = ({ project, digest }: Content) => ({ project, revision: `sha256:${digest}` });

const dumpsQuery = (at: Content) =>
	queryOptions({
		queryKey: ["dumps", at.project, at.digest, at.release ?? ""],
		staleTime: 60_000,
		queryFn: async ({ signal }) => {
			const params = { path: path(at) };
			const url = "/v1/projects/{project}/revisions/{revision}/dumps";
			return (await data(client.GET(url, { params, signal }))).items;
		},
	});

const driftQuery = (at: Content, dump: string) =>
	queryOptions({
		queryKey: ["drift", at.project, at.digest, at.release ?? "", dump],
		queryFn: ({ signal }) => {
			const params = { path: path(at), query: { dump, release: at.release } };
			return data(
				client.GET("/v1/projects/{project}/revisions/{revision}/drift", { params, signal }),
			);
		},
	});

/** How recorded processes differ from the files; nothing where none is recorded. */
export function Drift() {
	const place = usePlace();
	const dumps = useQuery(dumpsQuery(place));
	const [chosen, choose] = useState<string>();
	const dump = dumps.data?.find(({ digest }) => digest === chosen) ?? dumps.data?.[0];
	if (!dumps.data || !dump) return null;
	return (
		<Section
			id="drift"
			title="Drift"
			note="registrations of a recorded process against the files"
			actions={
				<ButtonLink href={apiPath(place, `/drift?dump=${dump.digest}`)}>All, as data</ButtonLink>
			}
		>
			{dumps.data.length > 1 && (
				<Select
					label="Process"
					value={dump.digest}
					options={dumps.data.map(({ digest, torch, device, recorded_at }) => ({
						value: digest,
						label: `torch ${torch} on ${device}, ${day(recorded_at)}`,
					}))}
					onChange={choose}
				/>
			)}
			<Differences dump={dump.digest} />
		</Section>
	);
}

function Differences({ dump }: { dump: string }) {
	const drift = useQuery(driftQuery(usePlace(), dump));
	return (
		<Async query={drift}>
			{(found) => (
				<>
					<Card>
						<p>{summary(found)}</p>
						{found.left_out.length > 0 && (
							<p className="muted">Not in this build: {found.left_out.join(", ")}</p>
						)}
					</Card>
					{found.items.length === 0 ? (
						<Empty title="No drift" />
					) : (
						<div className={styles.groups}>
							{byKind(found.items).map(([title, items]) => (
								<details key={title} className={styles.group}>
									<summary>
										<strong>{title}</strong>
										<span className={styles.count}>{count(items.length)}</span>
									</summary>
									<ul>
										{items.slice(0, SHOWN).map((item) => (
											<li key={`${item.operator} ${item.key}`}>
												{item.kind === "operator-undeclared" ? (
													<span className="mono">{item.operator}</span>
												) : (
													<OperatorLink name={item.operator} />
												)}
												<span>{saysOf(item)}</span>
											</li>
										))}
										{items.length > SHOWN && <li>and {count(items.length - SHOWN)} more</li>}
									</ul>
								</details>
							))}
						</div>
					)}
				</>
			)}
		</Async>
	);
}

function summary({ torch, build, device, counts, items }: DriftView): string {
	const process = `torch ${build ?? torch}${device && ` on ${device}`}`;
	return `${process}: ${counted(counts.same, "registration")} the same, ${counted(items.length, "difference")}.`;
}
