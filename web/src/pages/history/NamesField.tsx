import { useId } from "react";
import { Field, TextInput } from "../../components/controls";
import { begun } from "../../lib/history";
import styles from "./Support.module.css";

interface Props {
	label: string;
	placeholder: string;
	value: string;
	onChange: (value: string) => void;
	/** What the last name may become. */
	choices: readonly string[];
}

/** A list of names, the last of which is completed. */
export function NamesField({ label, placeholder, value, onChange, choices }: Props) {
	const known = useId();
	const { before } = begun(value);
	return (
		<Field label={label}>
			{(id) => (
				<>
					<TextInput
						id={id}
						list={known}
						className={styles.wide}
						placeholder={placeholder}
						value={value}
						onChange={onChange}
					/>
					<datalist id={known}>
						{choices.map((name) => (
							<option key={name} value={before + name}>
								{name}
							</option>
						))}
					</datalist>
				</>
			)}
		</Field>
	);
}
