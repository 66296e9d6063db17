import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useRef } from "react";
import { text } from "../../api/client";
import { ButtonLink } from "../../components/controls";
import { Page, Section } from "../../components/Page";
import { Prose } from "../../components/Prose";
import { SearchInput } from "../../components/SearchInput";
import { Async, Empty } from "../../components/States";
import { type Description, type Operation, read } from "../../lib/openapi";
import type { DocsSearch } from "../../routes/docs";
import styles from "./Docs.module.css";
import { OperationDetail } from "./OperationDetail";

const route = getRouteApi("/docs");
const DOCUMENT = "/openapi.json";

const descriptionQuery = queryOptions({
	queryKey: ["openapi"],
	queryFn: async ({ signal }) => read(JSON.parse(await text(DOCUMENT, { signal }))),
});

/** The API: what it does, how it is asked, and a place to try it. */
export default function Docs() {
	const query = useQuery(descriptionQuery);
	return (
		<Page
			title="API"
			lead={
				query.data
					? query.data.text.split("\n\n").map((paragraph) => (
							<p key={paragraph}>
								<Prose text={paragraph} />
							</p>
						))
					: "Everything that this page shows, and more, as data."
			}
			actions={
				<ButtonLink href={DOCUMENT} download="openapi.json">
					openapi.json
				</ButtonLink>
			}
			api={DOCUMENT}
		>
			<Async query={query}>{(description) => <Operations description={description} />}</Async>
		</Page>
	);
}

function matches(operation: Operation, q: string | undefined): boolean {
	const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
	const { method, path, id, summary, description } = operation;
	const written = `${method} ${path} ${id} ${summary} ${description}`.toLowerCase();
	return words.every((word) => written.includes(word));
}

function Operations({ description }: { description: Description }) {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const set = (change: DocsSearch, replace: boolean) =>
		void navigate({
			to: ".",
			search: { ...search, ...change },
			replace,
			resetScroll: false,
		});
	const shown = useMemo(
		() => description.operations.filter((operation) => matches(operation, search.q)),
		[description, search.q],
	);
	const open = useRef<HTMLLIElement>(null);
	useEffect(() => {
		// Newer browsers give a promise here, which React would take for what undoes the effect.
		open.current?.scrollIntoView({ block: "nearest" });
	}, [search.op]);
	return (
		<>
			<search className={styles.search}>
				<SearchInput
					label="Path or words"
					placeholder="compare, operators, …"
					value={search.q}
					onChange={(q) => set({ q }, true)}
				/>
			</search>
			{shown.length === 0 && <Empty title="No operation has these words" />}
			{description.tags.map(({ name, text }) => {
				const operations = shown.filter((operation) => operation.tag === name);
				if (operations.length === 0) return null;
				return (
					<Section key={name} id={name} title={name} note={text}>
						<ul className={styles.operations}>
							{operations.map((operation) => {
								const isOpen = operation.id === search.op;
								return (
									<li key={operation.id} ref={isOpen ? open : undefined}>
										<button
											type="button"
											className={styles.head}
											aria-expanded={isOpen}
											onClick={() => set({ op: isOpen ? undefined : operation.id }, false)}
										>
											<span className={styles.method} data-method={operation.method}>
												{operation.method}
											</span>
											<code>{operation.path}</code>
											<span className={styles.summary}>{operation.summary}</span>
										</button>
										{isOpen && (
											<OperationDetail operation={operation} schemas={description.schemas} />
										)}
									</li>
								);
							})}
						</ul>
					</Section>
				);
			})}
		</>
	);
}
