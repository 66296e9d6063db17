import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { copyText } from "../lib/copy";
import styles from "./controls.module.css";

type ButtonProps = ComponentProps<"button"> & { primary?: boolean };

/** A button. */
export function Button({ primary = false, className = "", ...rest }: ButtonProps) {
	const look = primary ? `${styles.control} ${styles.primary}` : styles.control;
	return <button type="button" {...rest} className={`${look} ${className}`} />;
}

/** A link that looks like a button, for downloads and other origins of data. */
export function ButtonLink({ className = "", ...rest }: ComponentProps<"a">) {
	return <a {...rest} className={`${styles.control} ${className}`} />;
}

interface FieldProps {
	label: string;
	children: (id: string) => ReactNode;
}

/** A control with its name above it. */
export function Field({ label, children }: FieldProps) {
	const id = useId();
	return (
		<span className={styles.field}>
			<label htmlFor={id} className={styles.fieldName}>
				{label}
			</label>
			{children(id)}
		</span>
	);
}

/** A text field; `onChange` gets the text. */
export function TextInput({
	onChange,
	className = "",
	...rest
}: Omit<ComponentProps<"input">, "onChange"> & { onChange: (value: string) => void }) {
	return (
		<input
			autoComplete="off"
			spellCheck={false}
			{...rest}
			className={`${styles.control} ${className}`}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}

export interface Option {
	value: string;
	label: string;
}

interface SelectProps {
	label: string;
	value: string | undefined;
	options: readonly Option[];
	/** What choosing nothing is called; without it something is always chosen. */
	any?: string;
	onChange: (value: string | undefined) => void;
}

/** A choice among a few, with its name. */
export function Select({ label, value, options, any, onChange }: SelectProps) {
	const known = value === undefined || options.some((option) => option.value === value);
	return (
		<Field label={label}>
			{(id) => (
				<select
					id={id}
					className={styles.control}
					value={value ?? ""}
					onChange={(event) => onChange(event.target.value || undefined)}
				>
					{any !== undefined && <option value="">{any}</option>}
					{!known && <option value={value}>{value}</option>}
					{options.map((option) => (
						<option key={option.value} value={option.value}>
							{option.label}
						</option>
					))}
				</select>
			)}
		</Field>
	);
}

interface SegmentsProps<T extends string> {
	label: string;
	value: T;
	options: readonly { value: T; label: string }[];
	onChange: (value: T) => void;
}

/** A choice of a few that all stand there. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
	return (
		<fieldset className={styles.segments} aria-label={label}>
			{options.map((option) => (
				<button
					key={option.value}
					type="button"
					aria-pressed={option.value === value}
					onClick={() => onChange(option.value)}
				>
					{option.label}
				</button>
			))}
		</fieldset>
	);
}

interface FileButtonProps {
	/** What it is for, for screen readers, where its words alone do not say it. */
	label?: string;
	accept?: string;
	/** The file that was chosen last, by name. */
	chosen?: string | undefined;
	onFile: (file: File) => void;
	children: ReactNode;
}

/** A button that takes a file. */
export function FileButton({ label, accept, chosen, onFile, children }: FileButtonProps) {
	return (
		<label className={styles.file}>
			<input
				type="file"
				accept={accept}
				aria-label={label}
				className="visually-hidden"
				onChange={(event) => {
					const [file] = event.target.files ?? [];
					if (!file) return;
					onFile(file);
					// The same file can be chosen again once it changed.
					event.target.value = "";
				}}
			/>
			<span className={styles.control}>{children}</span>
			{chosen !== undefined && <span className={styles.chosen}>{chosen}</span>}
		</label>
	);
}

/** Copies a text, and says so, or that it could not. */
export function Copy({ text, children }: { text: string; children: ReactNode }) {
	const [said, setSaid] = useState<string>();
	const copy = async () => {
		try {
			await copyText(text);
			setSaid("Copied");
		} catch {
			setSaid("Could not copy");
		}
		setTimeout(() => setSaid(undefined), 1500);
	};
	return (
		<Button onClick={() => void copy()} title={text}>
			<span aria-live="polite">{said ?? children}</span>
		</Button>
	);
}
