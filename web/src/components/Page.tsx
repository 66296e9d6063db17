import { useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { windowTitle } from "../lib/windowTitle";
import styles from "./Page.module.css";

interface PageProps {
	/** The heading, and the title of the window. */
	title: string;
	heading?: ReactNode;
	/** A line under the heading. */
	lead?: ReactNode;
	actions?: ReactNode;
	/** Where the same data is in the API. */
	api?: string | undefined;
	/** Whether the view takes the whole width of the window. */
	wide?: boolean;
	children: ReactNode;
}

/** A view: its heading, its actions, what it shows, and where the API has the same. */
export function Page({ title, heading, lead, actions, api, wide, children }: PageProps) {
	const { project, rev }: { project?: string; rev?: string } = useParams({ strict: false });
	useEffect(() => {
		document.title = windowTitle(title, project, rev);
	}, [title, project, rev]);
	return (
		<div className={wide ? `${styles.page} ${styles.wide}` : styles.page}>
			<header className={styles.head}>
				<div className={styles.title}>
					<h1>{heading ?? title}</h1>
					{lead && <div className={styles.lead}>{lead}</div>}
				</div>
				{actions && <div className={styles.actions}>{actions}</div>}
			</header>
			{children}
			{api && (
				<footer className={styles.api}>
					<span>View as JSON</span> <a href={api}>{decodeURIComponent(api)}</a>
				</footer>
			)}
		</div>
	);
}

interface SectionProps {
	id?: string;
	title: string;
	note?: ReactNode;
	actions?: ReactNode;
	children: ReactNode;
}

/** A part of a view with an address of its own. */
export function Section({ id, title, note, actions, children }: SectionProps) {
	return (
		<section className={styles.section} id={id} aria-label={title}>
			<div className={styles.sectionHead}>
				<h2>{title}</h2>
				{note && <span className={styles.note}>{note}</span>}
				{actions && <span className={styles.actions}>{actions}</span>}
			</div>
			{children}
		</section>
	);
}

/** A sheet of paper for what belongs together. */
export function Card({ children, flush = false }: { children: ReactNode; flush?: boolean }) {
	return <div className={flush ? `${styles.card} ${styles.flush}` : styles.card}>{children}</div>;
}

/** Names with what they stand for. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
	return (
		<dl className={styles.facts}>
			{items.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}
