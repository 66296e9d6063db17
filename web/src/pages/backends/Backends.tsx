import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useRef } from "react";
import { apiPath, type MatrixView, matrixQuery } from "../../api/queries";
import { Button } from "../../components/controls";
import { CoverageLink } from "../../components/links";
import { Page } from "../../components/Page";
import { Async, Empty } from "../../components/States";
import { usePlace } from "../../layout/place";
import { columnsOf, rowsOf } from "../../lib/matrixOrder";
import type { BackendsSearch } from "../../routes/backends";
import { ExplanationPanel } from "../operator/ExplanationPanel";
import { WayPanel } from "../operator/WayPanel";
import styles from "./Backends.module.css";
import { keySheet } from "./keySheet";
import { MatrixFilters } from "./MatrixFilters";
import { type GridHandle, MatrixGrid } from "./MatrixGrid";
import { MatrixHead, UnknownColumns } from "./MatrixHead";
import { Overview } from "./Overview";
import { waySheet } from "./waySheet";

const route = getRouteApi("/p/$project/r/$rev/backends");

/** Operators by keys or ways: the whole matrix, and what of it one wants to see. */
export default function Backends() {
	const place = usePlace();
	const matrix = useQuery(matrixQuery(place));
	return (
		<Page
			title="Backends"
			lead={
				<>
					Where each operator works. <CoverageLink />
				</>
			}
			api={apiPath(place, "/matrix")}
			wide
		>
			<Async query={matrix}>{(view) => <Matrix view={view} />}</Async>
		</Page>
	);
}

function Matrix({ view }: { view: MatrixView }) {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const grid = useRef<GridHandle>(null);
	const set = (change: BackendsSearch, replace = false) =>
		void navigate({
			to: ".",
			search: (now) => ({ ...now, ...change }),
			replace,
			resetScroll: false,
		});
	const { cell, ...asked } = search;
	const shown = useDeferredValue(JSON.stringify(asked));
	const { show } = JSON.parse(shown) as BackendsSearch;
	const sheet = useMemo(() => (show === "ways" ? waySheet(view) : keySheet(view)), [view, show]);
	const { columns, unknown } = useMemo(
		() => columnsOf(view, sheet, JSON.parse(shown)),
		[view, sheet, shown],
	);
	const operators = useMemo(() => rowsOf(sheet, JSON.parse(shown), columns), [sheet, shown, columns]);
	const [operator, column] = split(cell);
	const isKnown = operator !== undefined && column !== undefined && sheet.names.includes(column);
	const close = () => set({ cell: undefined });
	return (
		<>
			<MatrixFilters view={view} search={search} onChange={set} />
			<MatrixHead sheet={sheet} operators={operators} columns={columns}>
				{unknown.length > 0 && (
					<UnknownColumns
						names={unknown.map((column) => sheet.names[column] ?? "")}
						shown={search.unknown === "show"}
						onShow={(shown) => set({ unknown: shown ? "show" : undefined })}
					/>
				)}
			</MatrixHead>
			{operators.length === 0 || columns.length === 0 ? (
				<Empty title="Nothing matches these filters">
					<Button onClick={() => void navigate({ to: ".", search: {} })}>
						Clear filters
					</Button>
				</Empty>
			) : (
				<div className={styles.matrix} data-open={isKnown || undefined}>
					<MatrixGrid
						ref={grid}
						sheet={sheet}
						operators={operators}
						columns={columns}
						chosen={cell}
						onChoose={(chosen) => set({ cell: chosen === cell ? undefined : chosen })}
					/>
					<Overview sheet={sheet} operators={operators} columns={columns} grid={grid} />
					{isKnown && show !== "ways" && (
						<ExplanationPanel operator={operator} at={column} named onClose={close} />
					)}
					{isKnown && show === "ways" && (
						<WayPanel operator={operator} way={column} onClose={close} />
					)}
				</div>
			)}
		</>
	);
}

/** `add.Tensor,MPS` as operator and column. */
function split(cell: string | undefined): [string | undefined, string | undefined] {
	const comma = cell?.lastIndexOf(",") ?? -1;
	return cell === undefined || comma < 1
		? [undefined, undefined]
		: [cell.slice(0, comma), cell.slice(comma + 1)];
}
