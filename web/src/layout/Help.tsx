import { useState } from "react";
import { Button } from "../components/controls";
import { hasLetters, setLetters } from "../lib/letters";
import { NAV } from "../nav";
import styles from "./Help.module.css";

const KEYS: readonly (readonly [string[], string])[] = [
	[["/"], "Search operators, keys, rules and revisions"],
	[["Ctrl", "K"], "The same, from anywhere"],
	[["↑", "↓", "Enter"], "Move in a list, open a row"],
	[["j", "k"], "Next and previous row of a list"],
	[["←", "→", "Home", "End"], "Move in the matrix and between tabs"],
	[["n", "p"], "Next and previous finding, change, or cause that is not viewed"],
	[["v"], "Mark a cause as viewed"],
	[["Esc"], "Leave the rows of a list, close a dialog"],
	[["?"], "This list"],
];

/** The keys that the page knows. */
export function Help({ onClose }: { onClose: () => void }) {
	const [isOn, setOn] = useState(hasLetters);
	const going = NAV.map((item) => [["g", item.key], `Go to ${item.label}`] as const);
	return (
		<div className={styles.help}>
			<h2>Keys</h2>
			<dl>
				{[...KEYS, ...going].map(([keys, meaning]) => (
					<div key={meaning}>
						<dt>
							{keys.map((key) => (
								<kbd key={key}>{key}</kbd>
							))}
						</dt>
						<dd>{meaning}</dd>
					</div>
				))}
			</dl>
			<label className={styles.letters}>
				<input
					type="checkbox"
					checked={isOn}
					onChange={(event) => {
						setLetters(event.target.checked);
						setOn(event.target.checked);
					}}
				/>{" "}
				Keys without Ctrl work
			</label>
			<Button onClick={onClose}>Close</Button>
		</div>
	);
}
