import type { components } from "../../api/schema";
import { Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { Table } from "../../components/Table";
import { WayMark } from "../../components/WayMark";
import { counted } from "../../lib/format";

type Change = components["schemas"]["FateChangeView"];

/** The changes of an operator's fates by release. */
export function Fates({ changes }: { changes: readonly Change[] }) {
	if (changes.length === 0) return null;
	return (
		<Section title="Ways" note={`${counted(changes.length, "change")} of fate, by release`}>
			<Table label="Changes of fate by release">
				<thead>
					<tr>
						<th scope="col">Release</th>
						<th scope="col">Way</th>
						<th scope="col">Since then</th>
						<th scope="col">What changed</th>
					</tr>
				</thead>
				<tbody>
					{changes.map(({ release, way, title, works, missing, after, message }) => (
						<tr key={`${release} ${way}`}>
							<th scope="row">{release}</th>
							<td>{title}</td>
							<td>
								<WayMark works={works} missing={missing}>
									{after}
								</WayMark>
							</td>
							<td>
								<Prose text={message} />
							</td>
						</tr>
					))}
				</tbody>
			</Table>
		</Section>
	);
}
