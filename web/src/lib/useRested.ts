import { useEffect, useState } from "react";

/** A text once it has not changed for so many milliseconds. */
export function useRested(text: string, wait: number): string {
	const [rested, setRested] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setRested(text), wait);
		return () => clearTimeout(timer);
	}, [text, wait]);
	return rested;
}
