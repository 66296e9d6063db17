import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/problem";
import { Prose } from "./Prose";
import styles from "./States.module.css";

/** Grey lines where something is on its way. */
export function Loading({ lines = 6, label = "Loading" }: { lines?: number; label?: string }) {
	const look = lines === 1 ? `${styles.loading} ${styles.single}` : styles.loading;
	return (
		<div className={look} role="status" aria-label={label}>
			{Array.from({ length: lines }, (_, at) => (
				<span key={at} className={styles.bar} data-width={at % 4} />
			))}
		</div>
	);
}

/** What stands where there is nothing, with a way on. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
	return (
		<div className={styles.empty}>
			<p className={styles.emptyTitle}>{title}</p>
			{children && <div className={styles.emptyText}>{children}</div>}
		</div>
	);
}

interface ErrorProps {
	error: unknown;
	retry?: (() => void) | undefined;
	/** Turns a suggestion of the problem into a link to it. */
	suggest?: ((suggestion: string) => ReactNode) | undefined;
}

/** A problem document as people read it: what, where, and how to go on. */
export function ErrorView({ error, retry, suggest }: ErrorProps) {
	const problem = error instanceof ApiError ? error.problem : undefined;
	const title = problem?.title ?? "This view could not be loaded";
	const detail = problem?.detail ?? (error instanceof Error ? error.message : String(error));
	const suggestions = problem?.suggestions ?? [];
	return (
		<section className={styles.error} role="alert">
			<h2>{title}</h2>
			<p className={styles.detail}>
				<Prose text={detail} />
			</p>
			{problem?.errors?.map((fault) => (
				<p key={`${fault.parameter}${fault.detail}`} className={styles.detail}>
					{fault.parameter && <code>{fault.parameter}: </code>}
					<Prose text={fault.detail} />
				</p>
			))}
			{suggestions.length > 0 && (
				<p>
					Did you mean{" "}
					{suggestions.map((name, at) => (
						<span key={name}>
							{at > 0 && (at === suggestions.length - 1 ? " or " : ", ")}
							{suggest ? suggest(name) : <code>{name}</code>}
						</span>
					))}
					?
				</p>
			)}
			{(problem?.status === 401 || problem?.status === 403) && (
				<p>
					<Link to="/access">Enter a token</Link> that allows this.
				</p>
			)}
			<div className={styles.foot}>
				{retry && (
					<button type="button" className={styles.retry} onClick={retry}>
						Try again
					</button>
				)}
				{problem && problem.status > 0 && <span>Status {problem.status}</span>}
				{problem?.request_id && (
					<span>
						Request <code>{problem.request_id}</code>
					</span>
				)}
			</div>
		</section>
	);
}

interface AsyncProps<T> {
	query: UseQueryResult<T>;
	children: (data: T) => ReactNode;
	loading?: ReactNode;
	suggest?: ErrorProps["suggest"];
}

/** A query's data, or what stands in for it while it loads and when it fails. */
export function Async<T>({ query, children, loading, suggest }: AsyncProps<T>) {
	if (query.data !== undefined) return <>{children(query.data)}</>;
	if (query.isError) {
		return <ErrorView error={query.error} retry={() => void query.refetch()} suggest={suggest} />;
	}
	return <>{loading ?? <Loading />}</>;
}
