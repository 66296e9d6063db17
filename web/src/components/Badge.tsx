import type { ReactNode } from "react";
import styles from "./Badge.module.css";

export type Tone = "plain" | "accent" | "good" | "info" | "warning" | "error";

interface Props {
	children: ReactNode;
	tone?: Tone | undefined;
	title?: string | undefined;
}

/** A short word about something. */
export function Badge({ children, tone = "plain", title }: Props) {
	return (
		<span className={`${styles.badge} ${styles[tone]}`} title={title}>
			{children}
		</span>
	);
}

const GLYPHS = { error: "✕", warning: "!", info: "i" } as const;

/** A finding's severity by colour, glyph and word. */
export function SeverityBadge({ severity }: { severity: "error" | "warning" | "info" }) {
	return (
		<Badge tone={severity}>
			<span aria-hidden="true">{GLYPHS[severity]}</span>
			{severity}
		</Badge>
	);
}
