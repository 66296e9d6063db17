import { useQueries } from "@tanstack/react-query";
import { type Operator, type Signatures, signaturesQuery } from "../../api/queries";
import { Card, Section } from "../../components/Page";
import { ErrorView, Loading } from "../../components/States";
import { usePlace } from "../../layout/place";
import { Code } from "../operator/Code";
import styles from "./Name.module.css";

/** How Python and C++ call the operators of a name. */
export function NameCalls({ operators }: { operators: readonly Operator[] }) {
	const place = usePlace();
	const queries = useQueries({
		queries: operators.map(({ name }) => signaturesQuery(place, name)),
	});
	const error = queries.find((query) => query.error)?.error;
	const all = queries.flatMap((query) => query.data ?? []);
	const isLoading = all.length < operators.length;
	const python = lines(all, ({ pyi_function, pyi_method }) => [
		...(pyi_function ?? []),
		...(pyi_method ?? []),
	]);
	const cpp = lines(all, ({ functions, methods }) => [
		...(functions ?? []).map((line) => `${line};`),
		...(methods ?? []).map((line) => `${line};`),
	]);
	return (
		<Section id="call" title="Call it" note="all overloads, as declared for Python and C++">
			{error ? (
				<ErrorView error={error} />
			) : isLoading ? (
				<Loading />
			) : (
				<div className={styles.calls}>
					<Card>
						{python.length > 0 ? (
							<Code title="Python, type stub" text={python.join("\n")} />
						) : (
							<p className="muted">Python binds none of these; call them through torch.ops.</p>
						)}
					</Card>
					<Card>
						{cpp.length > 0 ? (
							<Code title="C++, namespace at and methods of at::Tensor" text={cpp.join("\n")} />
						) : (
							<p className="muted">C++ declares no functions or methods.</p>
						)}
					</Card>
				</div>
			)}
		</Section>
	);
}

/** The lines of all signatures, each once. */
function lines(
	all: readonly Signatures[],
	of: (signatures: Signatures) => readonly (string | null)[],
): string[] {
	const found = all.flatMap(of).filter((line): line is string => line !== null);
	return [...new Set(found)];
}
