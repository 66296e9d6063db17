import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useRef } from "react";
import { apiPath, type MatrixView, matrixQuery } from "../../api/queries";
import { Button } from "../../components/controls";
import { CoverageLink } from "../../components/links";
import { Page } from "../../components/Page";
import { Legend } from "../../components/ReasonMark";
import { VerdictLegend } from "../../components/VerdictMark";
import { Async, Empty } from "../../components/States";
import { usePlace } from "../../layout/place";
import { count } from "../../lib/format";
import { columnsOf, rowsOf } from "../../lib/matrixOrder";
import type { BackendsSearch } from "../../routes/backends";
import { ExplanationPanel } from "../operator/ExplanationPanel";
import styles from "./Backends.module.css";
import { MatrixFilters } from "./MatrixFilters";
import { type GridHandle, MatrixGrid } from "./MatrixGrid";
import { Overview } from "./Overview";

const route = getRouteApi("/p/$project/r/$rev/backends");

/** Operators by keys: the whole matrix, and what of it one wants to see. */
export default function Backends() {
	const place = usePlace();
	const matrix = useQuery(matrixQuery(place));
	return (
		<Page title="Backends" lead={
				<>
					<VerdictLegend />
					<Legend />
					<CoverageLink />
				</>
			} api={apiPath(place, "/matrix")} wide>
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
	const columns = useMemo(() => columnsOf(view, JSON.parse(shown)), [view, shown]);
	const operators = useMemo(() => rowsOf(view, JSON.parse(shown), columns), [view, shown, columns]);
	const [operator, key] = split(cell);
	return (
		<>
			<MatrixFilters view={view} search={search} onChange={set} />
			<p className={styles.count} role="status">
				<strong>{count(operators.length)}</strong> operators × <strong>{columns.length}</strong>{" "}
				keys
			</p>
			{operators.length === 0 || columns.length === 0 ? (
				<Empty title="Nothing matches these filters">
					<Button onClick={() => void navigate({ to: ".", search: {} })}>
						Clear filters
					</Button>
				</Empty>
			) : (
				<div className={styles.matrix} data-open={operator !== undefined || undefined}>
					<MatrixGrid
						ref={grid}
						view={view}
						operators={operators}
						columns={columns}
						chosen={cell}
						onChoose={(chosen) => set({ cell: chosen === cell ? undefined : chosen })}
					/>
					<Overview view={view} operators={operators} columns={columns} grid={grid} />
					{operator !== undefined && key !== undefined && (
						<ExplanationPanel
							operator={operator}
							at={key}
							named
							onClose={() => set({ cell: undefined })}
						/>
					)}
				</div>
			)}
		</>
	);
}

/** `add.Tensor,MPS` as operator and key. */
function split(cell: string | undefined): [string | undefined, string | undefined] {
	const comma = cell?.lastIndexOf(",") ?? -1;
	return cell === undefined || comma < 1
		? [undefined, undefined]
		: [cell.slice(0, comma), cell.slice(comma + 1)];
}
