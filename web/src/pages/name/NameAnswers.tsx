import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Operator, tableQuery } from "../../api/queries";
import { Select } from "../../components/controls";
import { usePlace } from "../../layout/place";
import { mainOf } from "../../lib/names";
import { byData } from "../../lib/releases";
import type { NameSearch } from "../../routes/name";
import { ExplanationPanel } from "../operator/ExplanationPanel";
import { SupportStrip } from "../operator/SupportStrip";
import { NameSupport } from "./NameSupport";

const route = getRouteApi("/p/$project/r/$rev/names/$name");

/** Where one operator of the name runs, now and by revision. */
export function NameAnswers({ operators }: { operators: readonly Operator[] }) {
	const place = usePlace();
	const { form, key } = route.useSearch();
	const navigate = route.useNavigate();
	const name = (operators.find(({ name }) => name === form) ?? mainOf(operators))?.name ?? "";
	const table = useQuery({ ...tableQuery(place, name), enabled: name !== "" });
	const set = (change: NameSearch) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, ...change }),
			replace: true,
			resetScroll: false,
		});
	const keys = table.data && byData(table.data).known.map((answer) => answer.key);
	return (
		<>
			<SupportStrip
				query={table}
				chosen={key}
				onKey={(next) => set({ key: next === key ? undefined : next })}
				actions={
					operators.length > 1 && (
						<Select
							label="Operator"
							value={name}
							options={operators.map(({ name }) => ({ value: name, label: name }))}
							onChange={(form) => set({ form })}
						/>
					)
				}
			/>
			{key !== undefined && (
				<ExplanationPanel
					operator={name}
					at={key}
					onClose={() => set({ key: undefined })}
					named
					wide
				/>
			)}
			<NameSupport operator={name} keys={keys} />
		</>
	);
}
