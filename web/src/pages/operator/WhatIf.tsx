import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import {
	type Entry,
	nameOf,
	type OperatorPage,
	releaseQuery,
	revisionQuery,
	type TableView,
	tableQuery,
} from "../../api/queries";
import { Button, Field, TextInput } from "../../components/controls";
import { ImplementLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Table } from "../../components/Table";
import { ReasonMark } from "../../components/ReasonMark";
import { Async, Empty } from "../../components/States";
import { usePlace } from "../../layout/place";
import { aliasOf, foldChanges, toggled } from "../../lib/dispatch";
import { list } from "../../lib/search";
import { supportWords } from "../../lib/verdicts";
import type { OperatorSearch } from "../../routes/operator";
import styles from "./WhatIf.module.css";

interface Props {
	page: OperatorPage;
	search: OperatorSearch;
	onChange: (change: OperatorSearch) => void;
}

/** Adds and removes registrations, and shows which cells change. */
export function WhatIf({ page, search, onChange }: Props) {
	const place = usePlace();
	const added = list(search.with);
	const removed = list(search.without);
	const isAsked = added.length + removed.length > 0;
	const { build, source } = search;
	const query = useQuery({
		...tableQuery(place, nameOf(page), { with: added, without: removed, build, source }),
		enabled: isAsked,
	});
	const release = useQuery(revisionQuery(place)).data?.release;
	const keys = [...new Set(page.registrations.map((made) => made.key))];
	return (
		<Section
			id="what-if"
			title="What if"
			note="add or remove registrations and see which cells change"
			actions={
				isAsked && (
					<Button onClick={() => onChange({ with: undefined, without: undefined })}>
						Start over
					</Button>
				)
			}
		>
			<Card>
				<div className={styles.panel}>
					<Adder
						onAdd={(item) => onChange({ with: toggled(added, item, true) })}
						release={release}
					/>
					<fieldset className={styles.registered}>
						<legend>Registered (select to remove)</legend>
						{keys.map((key) => (
							<button
								key={key}
								type="button"
								aria-pressed={removed.includes(key)}
								className={styles.chip}
								onClick={() => onChange({ without: toggled(removed, key, !removed.includes(key)) })}
							>
								{key}
							</button>
						))}
						{keys.length === 0 && <span className="muted">nothing</span>}
					</fieldset>
					{isAsked && (
						<ul className={styles.edits} aria-label="Changes to try">
							{added.map((item) => (
								<li key={`+${item}`} data-edit="add">
									<span>+ {item}</span>
									<ImplementLink place={place} name={nameOf(page)} at={item.split(":")[0] ?? item} />
									<button
										type="button"
										aria-label={`Do not add ${item}`}
										onClick={() => onChange({ with: toggled(added, item, false) })}
									>
										✕
									</button>
								</li>
							))}
							{removed.map((key) => (
								<li key={`-${key}`} data-edit="remove">
									<span>− {key}</span>
									<button
										type="button"
										aria-label={`Do not remove ${key}`}
										onClick={() => onChange({ without: toggled(removed, key, false) })}
									>
										✕
									</button>
								</li>
							))}
						</ul>
					)}
				</div>
			</Card>
			{isAsked && <Async query={query}>{(view) => <Changes view={view} />}</Async>}
		</Section>
	);
}

function Adder({ onAdd, release }: { onAdd: (item: string) => void; release: string | undefined }) {
	const [key, setKey] = useState("");
	const [kernel, setKernel] = useState("");
	const known = useId();
	const { data: names } = useQuery({
		...releaseQuery(release ?? ""),
		enabled: release !== undefined,
	});
	const registrable = names?.keys.filter((key) => key.registrable) ?? [];
	const add = (event: FormEvent) => {
		event.preventDefault();
		if (key.trim() === "") return;
		onAdd(kernel.trim() === "" ? key.trim() : `${key.trim()}:${kernel.trim()}`);
		setKey("");
		setKernel("");
	};
	return (
		<form className={styles.adder} onSubmit={add}>
			<Field label="Key">
				{(id) => (
					<TextInput id={id} list={known} placeholder="PrivateUse1" value={key} onChange={setKey} />
				)}
			</Field>
			<datalist id={known}>
				{[...registrable, ...(names?.alias_keys ?? [])].map(({ name }) => (
					<option key={name} value={name} />
				))}
			</datalist>
			<Field label="Kernel (optional)">
				{(id) => <TextInput id={id} placeholder="my_kernel" value={kernel} onChange={setKernel} />}
			</Field>
			<Button type="submit" primary disabled={key.trim() === ""}>
				Add
			</Button>
		</form>
	);
}

/** The cells that differ, before and after; those that change alike as one. */
function Changes({ view }: { view: TableView }) {
	const rows = foldChanges(view.before ?? [], view.after ?? [], view.changed ?? []);
	const notes = view.notes.map((note) => (
		<p key={note} className="muted">
			<Prose text={note} />
		</p>
	));
	if (rows.length === 0) return <Empty title="No cells change">{notes}</Empty>;
	return (
		<>
			<p role="status">
				<strong>{view.changed?.length}</strong> of {view.before?.length} cells change.
			</p>
			{notes}
			<Table label="Changed cells" tall>
				<thead>
					<tr>
						<th scope="col">Keys</th>
						<th scope="col">Now</th>
						<th scope="col">Then</th>
					</tr>
				</thead>
				<tbody>
					{rows.map(({ keys, before, after }) => (
						<tr key={keys.join()}>
							<th scope="row" className={styles.keys}>
								{keys.map((key) => (
									<code key={key}>{key}</code>
								))}
							</th>
							<Side entry={before} />
							<Side entry={after} />
						</tr>
					))}
				</tbody>
			</Table>
		</>
	);
}

function Side({ entry }: { entry: Entry }) {
	const alias = aliasOf(entry);
	return (
		<td className={styles.side}>
			<ReasonMark reason={entry.reason} label /> <code>{entry.kernel}</code>
			<div className={styles.by}>{supportWords(entry.support)}</div>
			{alias && (
				<div className={styles.by}>
					by <code>{alias}</code>
				</div>
			)}
		</td>
	);
}
