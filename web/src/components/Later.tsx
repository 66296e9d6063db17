import { type ReactNode, useDeferredValue } from "react";
import { Loading } from "./States";

/** What is drawn in small steps after the rest, so that the page answers meanwhile. */
export function Later({ children }: { children: ReactNode }) {
	return useDeferredValue(true, false) ? children : <Loading />;
}
