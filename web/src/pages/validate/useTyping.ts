import { useEffect, useState } from "react";

/** A value once it has rested for so many milliseconds. */
export function useDebounced<T>(value: T, rest: number): T {
	const [rested, setRested] = useState(value);
	useEffect(() => {
		const wait = setTimeout(() => setRested(value), rest);
		return () => clearTimeout(wait);
	}, [value, rest]);
	return rested;
}
