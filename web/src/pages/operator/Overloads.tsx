import { useQuery } from "@tanstack/react-query";
import { overloadsQuery } from "../../api/queries";
import { Badge } from "../../components/Badge";
import { OperatorLink } from "../../components/links";
import { Section } from "../../components/Page";
import { SchemaText } from "../../components/SchemaText";
import { Async } from "../../components/States";
import { usePlace } from "../../layout/place";
import { counted } from "../../lib/format";
import styles from "./Operator.module.css";

/** The overloads of a name that is not an operator itself, such as `add`. */
export function Overloads({ name }: { name: string }) {
	const place = usePlace();
	const query = useQuery(overloadsQuery(place, name));
	return (
		<Async query={query}>
			{({ items }) => (
				<Section title="Overloads" note={counted(items.length, "operator")}>
					<ul className={styles.overloads}>
						{items.map((operator) => (
							<li key={operator.name}>
								<p className={styles.badges}>
									<OperatorLink name={operator.name} />
									<Badge tone="accent">{operator.kind}</Badge>
									{operator.structured && <Badge tone="accent">structured</Badge>}
									{operator.generated && <Badge>generated</Badge>}
								</p>
								<SchemaText schema={operator.schema} />
							</li>
						))}
					</ul>
				</Section>
			)}
		</Async>
	);
}
