import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { waysQuery } from "../../api/queries";
import { Button } from "../../components/controls";
import { OperatorLink } from "../../components/links";
import { Prose } from "../../components/Prose";
import { Async } from "../../components/States";
import { WayMark } from "../../components/WayMark";
import { usePlace } from "../../layout/place";
import { sinceWords } from "../../lib/ways";
import styles from "./ExplanationPanel.module.css";

interface Props {
	operator: string;
	way: string;
	onClose: () => void;
}

/** What becomes of one operator on one way, and why. */
export function WayPanel({ operator, way, onClose }: Props) {
	const query = useQuery(waysQuery(usePlace(), operator));
	const item = query.data?.items.find((item) => item.way === way);
	const panel = useRef<HTMLElement>(null);
	useEffect(() => {
		panel.current?.scrollIntoView({ block: "nearest" });
	}, [operator, way]);
	return (
		<aside ref={panel} className={styles.panel} aria-label={`Why ${way}`} aria-live="polite">
			<header className={styles.head}>
				<h2>
					<OperatorLink name={operator} /> <span className="muted">and</span> {item?.title ?? way}
				</h2>
				<Button onClick={onClose} aria-label="Close the explanation">
					✕
				</Button>
			</header>
			<Async query={query}>
				{() =>
					item ? (
						<>
							<p className={styles.verdict}>
								<WayMark works={item.works} missing={item.missing}>
									{item.fate}
								</WayMark>
							</p>
							<p>
								<Prose text={item.because} />
							</p>
							<p className="muted">{sinceWords(item)}</p>
						</>
					) : (
						<p>This way does not apply to the operator.</p>
					)
				}
			</Async>
		</aside>
	);
}
