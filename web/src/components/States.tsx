import type { UseQueryResult } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { ApiError, type Problem } from "../api/problem";
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
	/** Tries again; until what it returns is settled, it says so. */
	retry?: (() => unknown) | undefined;
	/** Turns a suggestion of the problem into a link to it. */
	suggest?: ((suggestion: string) => ReactNode) | undefined;
}

/** Whether the same request may get another answer: not where something does not exist or is refused. */
const mayPass = ({ status }: Problem): boolean =>
	status === 0 || status === 408 || status === 429 || status >= 500;

/** The detail without the suggestions that it ends with; they follow as links. */
const withoutSuggestions = (detail: string): string =>
	detail.replace(/\.? Did you mean [^?]*\?$/, ".");

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
				<Prose text={suggestions.length > 0 ? withoutSuggestions(detail) : detail} />
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
			{(problem?.status === 401 || problem?.status === 403) && <EnterToken />}
			<div className={styles.foot}>
				{retry && (problem === undefined || mayPass(problem)) && <Retry retry={retry} />}
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

/** The way to the place for a token, which leads back here. */
function EnterToken() {
	const here = useRouterState({ select: (state) => state.location.href });
	return (
		<p>
			<Link to="/access" state={{ back: here }}>
				Enter a token
			</Link>{" "}
			that allows this. You return to this page afterwards.
		</p>
	);
}

function Retry({ retry }: { retry: () => unknown }) {
	const [isTrying, setTrying] = useState(false);
	const again = async () => {
		setTrying(true);
		await retry();
		setTrying(false);
	};
	return (
		<button type="button" className={styles.retry} disabled={isTrying} onClick={() => void again()}>
			{isTrying ? "Trying …" : "Try again"}
		</button>
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
		return <ErrorView error={query.error} retry={() => query.refetch()} suggest={suggest} />;
	}
	return <>{loading ?? <Loading />}</>;
}
