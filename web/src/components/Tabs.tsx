import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import styles from "./Tabs.module.css";

export interface Tab {
	id: string;
	label: ReactNode;
}

interface Props {
	label: string;
	tabs: readonly Tab[];
	value: string;
	onChange: (id: string) => void;
	children: ReactNode;
}

/** Tabs over one panel; arrows move between them. */
export function Tabs({ label, tabs, value, onChange, children }: Props) {
	const id = useId();
	const list = useRef<HTMLDivElement>(null);
	const move = (event: KeyboardEvent) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
		if (step === undefined) return;
		event.preventDefault();
		const at = tabs.findIndex((tab) => tab.id === value);
		const next = tabs[(at + step + tabs.length) % tabs.length];
		if (!next) return;
		onChange(next.id);
		list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
	};
	return (
		<div className={styles.tabs}>
			<div role="tablist" aria-label={label} ref={list} className={styles.list} onKeyDown={move}>
				{tabs.map((tab) => (
					<button
						key={tab.id}
						type="button"
						role="tab"
						data-tab={tab.id}
						aria-selected={tab.id === value}
						aria-controls={`${id}-panel`}
						tabIndex={tab.id === value ? 0 : -1}
						onClick={() => onChange(tab.id)}
					>
						{tab.label}
					</button>
				))}
			</div>
			<div role="tabpanel" id={`${id}-panel`} aria-label={label}>
				{children}
			</div>
		</div>
	);
}
