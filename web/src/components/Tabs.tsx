import * as Parts from "@radix-ui/react-tabs";
import type { ReactNode } from "react";
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
	return (
		<Parts.Root className={styles.tabs} value={value} onValueChange={onChange}>
			<Parts.List aria-label={label} className={styles.list}>
				{tabs.map((tab) => (
					<Parts.Trigger key={tab.id} value={tab.id}>
						{tab.label}
					</Parts.Trigger>
				))}
			</Parts.List>
			<Parts.Content value={value}>{children}</Parts.Content>
		</Parts.Root>
	);
}
