import { useQuery } from "@tanstack/react-query";
import { waysQuery } from "../../api/queries";
import { Section } from "../../components/Page";
import { Async, Empty, Loading } from "../../components/States";
import { Table } from "../../components/Table";
import { usePlace } from "../../layout/place";
import { type DtypeFunction, type DtypeRow, type DtypeTable, dtypeTables } from "../../lib/dtypes";
import styles from "./Ways.module.css";

/** The dtypes of the Python functions that call the operator, by device type. */
export function DtypesSection({ operator }: { operator: string }) {
	const query = useQuery(waysQuery(usePlace(), operator));
	return (
		<Section id="dtypes" title="Dtypes" note="by Python function and device type">
			<Async query={query} loading={<Loading lines={8} />}>
				{({ dtypes }) =>
					dtypes.length === 0 ? (
						<Empty title="PyTorch's operator database has no test of it" />
					) : (
						<div className={styles.sources}>
							{dtypeTables(dtypes).map((table) => (
								<Source key={table.known_from} table={table} />
							))}
							<p className={styles.legend}>
								● forward and backward, ○ forward only, ◒ backward only
							</p>
						</div>
					)
				}
			</Async>
		</Section>
	);
}

/** What a table is known from, in words. */
const SOURCES: Record<string, string> = {
	measured: "Measured: calls of a real process",
	claimed: "Claimed: by PyTorch's operator database",
};

function Source({ table: { known_from, dtypes, functions } }: { table: DtypeTable }) {
	const title = SOURCES[known_from] ?? known_from;
	return (
		<div>
			<h3 className={styles.source}>{title}</h3>
			<Table label={title}>
				<thead>
					<tr>
						<th scope="col">Function</th>
						<th scope="col">Device</th>
						{dtypes.map((dtype) => (
							<th key={dtype} scope="col" className={styles.dtype}>
								{dtype}
							</th>
						))}
					</tr>
				</thead>
				{functions.map((of) => (
					<Functions key={of.name} of={of} dtypes={dtypes} />
				))}
			</Table>
		</div>
	);
}

function Functions({ of: { name, rows }, dtypes }: { of: DtypeFunction; dtypes: string[] }) {
	return (
		<tbody>
			{rows.map((row, at) => (
				<tr key={row.devices.join()}>
					{at === 0 && (
						<th scope="rowgroup" rowSpan={rows.length}>
							{name}
						</th>
					)}
					<th scope="row">{row.devices.join(", ")}</th>
					{dtypes.map((dtype) => (
						<td key={dtype} className={styles.dtype}>
							<Taken row={row} dtype={dtype} />
						</td>
					))}
				</tr>
			))}
		</tbody>
	);
}

/** Symbols and names, by whether a dtype is taken forward and backward. */
const TAKEN = [
	["", "not taken"],
	["○", "forward only"],
	["◒", "backward only"],
	["●", "forward and backward"],
] as const;

function Taken({ row: { forward, backward }, dtype }: { row: DtypeRow; dtype: string }) {
	const [glyph, name] =
		TAKEN[Number(forward.has(dtype)) + 2 * Number(backward.has(dtype))] ?? TAKEN[0];
	return (
		<>
			<span aria-hidden="true">{glyph}</span>
			<span className="visually-hidden">{name}</span>
		</>
	);
}
