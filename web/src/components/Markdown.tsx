import { useMemo } from "react";
import { type Block, blocksOf, runsOf } from "../lib/reportText";
import styles from "./Markdown.module.css";

/** A report in Markdown, as GitHub would show it; no markup of its own gets into the page. */
export function Markdown({ text }: { text: string }) {
	const blocks = useMemo(() => blocksOf(text), [text]);
	return (
		<div className={styles.markdown}>
			<Blocks blocks={blocks} />
		</div>
	);
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
	return blocks.map((block, at) => <One key={`${at}`} block={block} />);
}

function One({ block }: { block: Block }) {
	switch (block.kind) {
		case "heading":
			return (
				<p className={styles.heading} role="heading" aria-level={Math.max(3, block.level)}>
					<Line text={block.text} />
				</p>
			);
		case "paragraph":
			return (
				<p>
					<Line text={block.text} />
				</p>
			);
		case "code":
			return (
				<pre tabIndex={0} aria-label="Code" role="group">
					{block.text}
				</pre>
			);
		case "list":
			return (
				<ul>
					{block.items.map((item, at) => (
						<li key={`${at}`}>
							<Blocks blocks={item} />
						</li>
					))}
				</ul>
			);
		case "table":
			return <Rows head={block.head} rows={block.rows} />;
		case "details":
			return (
				<details>
					<summary>
						<Line text={block.summary} />
					</summary>
					<Blocks blocks={block.blocks} />
				</details>
			);
	}
}

function Rows({ head, rows }: { head: readonly string[]; rows: readonly string[][] }) {
	return (
		<div className={styles.scroll} tabIndex={0} role="group" aria-label="Table">
			<table>
				<thead>
					<tr>
						{head.map((cell, at) => (
							<th key={`${at}`} scope="col">
								<Line text={cell} />
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((cells, row) => (
						<tr key={`${row}`}>
							{cells.map((cell, at) => (
								<td key={`${at}`}>
									<Line text={cell} />
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

function Line({ text }: { text: string }) {
	return runsOf(text).map(({ text, code, strong, href }, at) => {
		const key = `${at}`;
		if (href !== undefined) {
			return (
				<a key={key} href={href}>
					{text}
				</a>
			);
		}
		const inner = code ? <code>{text}</code> : text;
		return strong ? <strong key={key}>{inner}</strong> : <span key={key}>{inner}</span>;
	});
}
