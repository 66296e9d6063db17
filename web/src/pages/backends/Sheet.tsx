import { useState } from "react";
import { Button } from "../../components/controls";
import { ErrorView } from "../../components/States";
import { save } from "../../lib/download";

interface Props {
	/** The name of the file. */
	name: string;
	/** What the button says. */
	label?: string;
	/** What is in it. */
	make: () => Promise<Blob> | Blob;
}

/** Hands a table over as a file. */
export function Sheet({ name, label = "Download CSV", make }: Props) {
	const [error, setError] = useState<unknown>();
	const take = async () => {
		setError(undefined);
		try {
			save(await make(), name);
		} catch (failure) {
			setError(failure);
		}
	};
	return (
		<>
			<Button onClick={() => void take()}>{label}</Button>
			{error !== undefined && <ErrorView error={error} retry={() => take()} />}
		</>
	);
}
