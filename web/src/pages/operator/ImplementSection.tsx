import { useQuery } from "@tanstack/react-query";
import { nameOf, type OperatorPage, revisionQuery, signaturesQuery } from "../../api/queries";
import { OperatorLink } from "../../components/links";
import { Card, Section } from "../../components/Page";
import { Async } from "../../components/States";
import { usePlace } from "../../layout/place";
import { offeredKeys } from "../../lib/signatures";
import type { OperatorSearch } from "../../routes/operator";
import { ImplementKeys, ImplementParts } from "./Implement";

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
	const query = useQuery(signaturesQuery(place, nameOf(page), key));
	const release = useQuery(revisionQuery(place)).data?.release;
	return (
		<Section id="implement" title="Implement it" note="choose a dispatch key">
			<Card>
				<ImplementKeys
					keys={offered}
					release={release}
					chosen={key}
					onChoose={(implement) => onChange({ implement })}
				/>
				<Async query={query}>
					{({ implement }) =>
						implement && (
							<ImplementParts
								parts={implement}
								entry={(name) => <OperatorLink name={name} />}
							/>
						)
					}
				</Async>
			</Card>
		</Section>
	);
}
