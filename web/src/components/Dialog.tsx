import { type ReactNode, useLayoutEffect, useRef } from "react";
import styles from "./Dialog.module.css";

interface Props {
	open: boolean;
	label: string;
	onClose: () => void;
	children: ReactNode;
	/** Whether it stands at the top, for what is typed into. */
	top?: boolean;
}

/** A modal dialog; Escape and a press beside it close it, and the focus returns where it was. */
export function Dialog({ open, label, onClose, children, top = false }: Props) {
	const dialog = useRef<HTMLDialogElement>(null);
	// At once: what is typed next belongs to it.
	useLayoutEffect(() => {
		const node = dialog.current;
		if (open && node && !node.open) node.showModal();
		if (!open && node?.open) node.close();
	}, [open]);
	return (
		<dialog
			ref={dialog}
			className={top ? `${styles.dialog} ${styles.top}` : styles.dialog}
			aria-label={label}
			onClose={() => {
				// It may have been opened again before it is told that it was closed.
				if (!dialog.current?.open) onClose();
			}}
			onClick={(event) => {
				if (event.target === dialog.current) onClose();
			}}
		>
			{open && <div className={styles.body}>{children}</div>}
		</dialog>
	);
}
