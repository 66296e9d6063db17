import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useId, useState } from "react";
import { type Implementation, releaseQuery } from "../../api/queries";
import { Field, TextInput } from "../../components/controls";
import { Code } from "./Code";
import styles from "./Declarations.module.css";

interface KeysProps {
	keys: readonly string[];
	/** The release whose keys are offered. */
	release: string | undefined;
	chosen: string;
	onChoose: (key: string) => void;
}

/** A choice of a dispatch key to implement an operator for. */
export function ImplementKeys({ keys, release, chosen, onChoose }: KeysProps) {
	const known = useId();
	const { data: names } = useQuery({
		...releaseQuery(release ?? ""),
		enabled: release !== undefined,
	});
	const registrable = names?.keys.filter((key) => key.registrable) ?? [];
	// What was typed and is not chosen yet: the names may still be on their way.
	const [typed, setTyped] = useState<string>();
	const choose = (key: string) => {
		setTyped(undefined);
		onChoose(key);
	};
	useEffect(() => {
		if (typed !== undefined && registrable.some(({ name }) => name === typed)) choose(typed);
	});
	return (
		<div className={styles.choice}>
			<Field label="Dispatch key">
				{(id) => (
					<TextInput
						key={chosen}
						id={id}
						list={known}
						defaultValue={chosen}
						onChange={setTyped}
						onKeyDown={(event) => event.key === "Enter" && choose(event.currentTarget.value)}
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
						onClick={() => choose(key)}
					>
						{key}
					</button>
				))}
			</fieldset>
		</div>
	);
}

interface PartsProps {
	parts: Implementation;
	/** How the operator is shown whose entry a line belongs to. */
	entry: (name: string) => ReactNode;
}

/** What is written to implement an operator, in PyTorch's tree and outside. */
export function ImplementParts({ parts, entry }: PartsProps) {
	return (
		<div className={styles.columns}>
			{parts.in_tree && <InTree kernel={parts.in_tree} entry={entry} />}
			<div className={styles.list}>
				{!parts.in_tree && (
					<p>
						PyTorch's own <code>native_functions.yaml</code> takes no kernel for {parts.key} here.
					</p>
				)}
				<p>
					Outside PyTorch's tree, in a library
					{parts.backend && " or a backend whose stubs torchgen makes"}.
				</p>
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

interface InTreeProps {
	kernel: NonNullable<Implementation["in_tree"]>;
	entry: PartsProps["entry"];
}

function InTree({ kernel, entry }: InTreeProps) {
	return (
		<div className={styles.list}>
			<p>
				In PyTorch's tree, under <code>dispatch</code> of {entry(kernel.entry)}
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
