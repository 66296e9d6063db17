import { Copy } from "../../components/controls";
import styles from "./Declarations.module.css";

/** Lines of code with their title, to be copied. */
export function Code({ title, text }: { title: string; text: string }) {
	return (
		<div>
			<div className={styles.head}>
				<h3>{title}</h3>
				<Copy text={text}>Copy</Copy>
			</div>
			<pre className={styles.code}>{text}</pre>
		</div>
	);
}
