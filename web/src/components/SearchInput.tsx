import { useEffect, useId, useRef, useState } from "react";
import { Field, TextInput } from "./controls";

interface Props {
	label: string;
	placeholder?: string;
	value: string | undefined;
	/** Names that what is typed may become. */
	names?: readonly string[] | undefined;
	onChange: (value: string | undefined) => void;
	className?: string | undefined;
}

/** How long after the last letter the words are told, in milliseconds. */
const REST = 150;

/** Words sought: shown as one types, told when one rests. */
export function SearchInput({ label, placeholder, value, names, onChange, className }: Props) {
	const known = useId();
	const [text, setText] = useState(value ?? "");
	const tell = useRef(onChange);
	tell.current = onChange;
	// What was told comes back as the value, maybe when more has been typed, which then stays.
	const told = useRef<(string | undefined)[]>([]);
	useEffect(() => {
		const at = told.current.indexOf(value);
		told.current = told.current.slice(at < 0 ? told.current.length : at + 1);
		if (at < 0) setText(value ?? "");
	}, [value]);
	useEffect(() => {
		if (text === (value ?? "")) return;
		const wait = setTimeout(() => {
			told.current.push(text || undefined);
			tell.current(text || undefined);
		}, REST);
		return () => clearTimeout(wait);
	}, [text, value]);
	return (
		<Field label={label}>
			{(id) => (
				<>
					<TextInput
						id={id}
						type="search"
						placeholder={placeholder}
						className={className}
						list={names && known}
						value={text}
						onChange={setText}
					/>
					{names && (
						<datalist id={known}>
							{begun(names, text).map((name) => (
								<option key={name} value={name} />
							))}
						</datalist>
					)}
				</>
			)}
		</Field>
	);
}

/** So many names are suggested at once. */
const SUGGESTED = 20;

/** The names that have what is typed, those that begin with it first. */
function begun(names: readonly string[], text: string): string[] {
	const typed = text.trim().toLowerCase();
	if (typed === "") return [];
	const having = names.filter((name) => name.toLowerCase().includes(typed));
	const first = (name: string) => Number(!name.toLowerCase().startsWith(typed));
	return having.sort((a, b) => first(a) - first(b)).slice(0, SUGGESTED);
}
