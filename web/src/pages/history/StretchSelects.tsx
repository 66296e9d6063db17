import { RevisionBox } from "../../components/RevisionBox";
import type { Stretch } from "./queries";

interface Props extends Stretch {
	project: string;
	set: (change: Stretch) => void;
}

/** With which revisions a part of a timeline begins and ends. */
export function StretchSelects({ project, from, to, set }: Props) {
	return (
		<>
			<RevisionBox
				label="From"
				any="the first"
				project={project}
				value={from}
				onChange={(from) => set({ from })}
			/>
			<RevisionBox
				label="To"
				any="the last"
				project={project}
				value={to}
				onChange={(to) => set({ to })}
			/>
		</>
	);
}
