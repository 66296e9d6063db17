import { useQuery } from "@tanstack/react-query";
import { revisionsQuery } from "../../api/queries";
import { Select } from "../../components/controls";
import { addressOf, timeline, titleOf } from "../../lib/revisions";
import type { Stretch } from "./queries";

interface Props extends Stretch {
	project: string;
	set: (change: Stretch) => void;
}

/** With which revisions a part of a timeline begins and ends. */
export function StretchSelects({ project, from, to, set }: Props) {
	const revisions = useQuery(revisionsQuery(project));
	const options = timeline(revisions.data ?? [])
		.reverse()
		.map((item) => ({ value: addressOf(item), label: titleOf(item) }));
	return (
		<>
			<Select
				label="From"
				any="the first"
				value={from}
				options={options}
				onChange={(from) => set({ from })}
			/>
			<Select
				label="To"
				any="the last"
				value={to}
				options={options}
				onChange={(to) => set({ to })}
			/>
		</>
	);
}
