import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import {
	type Implementation,
	type OperatorPage,
	releaseQuery,
	revisionQuery,
	signaturesQuery,
} from "../../api/queries";
import { Field, TextInput } from "../../components/controls";
import { OperatorLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { Async } from "../../components/States";
import { usePlace } from "../../layout/place";
import { offeredKeys } from "../../lib/signatures";
import type { OperatorSearch } from "../../routes/operator";
import { Code } from "./Code";
import styles from "./Declarations.module.css";

interface Props {
	page: OperatorPage;
	search: OperatorSearch;
	onChange: (change: OperatorSearch) => void;
}

/** What is written to implement the operator for a dispatch key. */
export function ImplementSection({ page, search, onChange }: Props) {
	const place = usePlace();
	const offered = offeredKeys(Object.keys(page.dispatch));
	const key = search.implement ?? offered[0] ?? "PrivateUse1";
	const query = useQuery(signaturesQuery(place, page.name, key));
	return (
		<Section id="implement" title="Implement it" note="choose a dispatch key">
			<Card>
				<Keys keys={offered} chosen={key} onChoose={(implement) => onChange({ implement })} />
				<Async query={query}>
					{({ implement }) => (implement ? <Parts parts={implement} /> : null)}
				</Async>
			</Card>
		</Section>
	);
}

interface KeysProps {
	keys: readonly string[];
	chosen: string;
	onChoose: (key: string) => void;
}

function Keys({ keys, chosen, onChoose }: KeysProps) {
	const place = usePlace();
	const known = useId();
	const release = useQuery(revisionQuery(place)).data?.release;
	const { data: names } = useQuery({
		...releaseQuery(release ?? ""),
		enabled: release !== undefined,
	});
	const registrable = names?.keys.filter((key) => key.registrable) ?? [];
	return (
		<div className={styles.choice}>
			<Field label="Dispatch key">
				{(id) => (
					<TextInput
						key={chosen}
						id={id}
						list={known}
						defaultValue={chosen}
						onChange={(text) => registrable.some(({ name }) => name === text) && onChoose(text)}
						onKeyDown={(event) => event.key === "Enter" && onChoose(event.currentTarget.value)}
					/>
				)}
			</Field>
			<datalist id={known}>
				{[...registrable, ...(names?.alias_keys ?? [])].map(({ name }) => (
					<option key={name} value={name} />
				))}
			</datalist>
			<fieldset className={styles.keys} aria-label="Keys to implement it for">
				{keys.map((key) => (
					<button
						key={key}
						type="button"
						aria-pressed={key === chosen}
						onClick={() => onChoose(key)}
					>
						{key}
					</button>
				))}
			</fieldset>
		</div>
	);
}

function Parts({ parts }: { parts: Implementation }) {
	return (
		<div className={styles.columns}>
			{parts.in_tree && <InTree kernel={parts.in_tree} />}
			<div className={styles.list}>
				<p>Outside PyTorch's tree, in a library or a backend whose stubs torchgen makes.</p>
				{parts.function && <Code title="Function in a library" text={parts.function} />}
				<Code title="Its registration" text={parts.registration.trimEnd()} />
				{parts.backend && <Stub title="Backend file" stub={parts.backend} />}
				{parts.backend_symint && (
					<Stub title="Backend file, symbolic sizes" stub={parts.backend_symint} />
				)}
			</div>
		</div>
	);
}

function InTree({ kernel }: { kernel: NonNullable<Implementation["in_tree"]> }) {
	return (
		<div className={styles.list}>
			<p>
				In PyTorch's tree, under <code>dispatch</code> of <OperatorLink name={kernel.entry} />
				{kernel.declared ? "." : "; the kernel's name is a proposal."}
			</p>
			<Code title="native_functions.yaml" text={kernel.yaml} />
			<Code title="Declaration in NativeFunctions.h" text={kernel.declaration.trimEnd()} />
			{kernel.meta_definition && (
				<Code title="meta, shared by all keys" text={kernel.meta_definition.trimEnd()} />
			)}
			<Code title="Definition" text={kernel.definition.trimEnd()} />
		</div>
	);
}

function Stub({ title, stub }: { title: string; stub: { declaration: string; yaml: string } }) {
	return (
		<>
			<Code title={title} text={stub.yaml.trimEnd()} />
			<Code title={`${title}: the stub`} text={stub.declaration} />
		</>
	);
}
