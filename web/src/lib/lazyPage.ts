import { lazyRouteComponent } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";

/** How long to wait before a part of the program is asked for again, in milliseconds. */
const WAITS = [300, 1200];

/** Asks for a part of the program again where it did not come; a network may fail for a moment. */
async function persistent<T>(load: () => Promise<T>): Promise<T> {
	for (const wait of WAITS) {
		try {
			return await load();
		} catch {
			await new Promise((done) => setTimeout(done, wait));
		}
	}
	return load();
}

/** A page that is loaded on demand. */
export const lazyPage = <T extends Record<string, any>>(load: () => Promise<T>) =>
	lazyRouteComponent(() => persistent(load));

/** A part of a page that is loaded on demand. */
export const lazyPart = <P extends object>(load: () => Promise<{ default: ComponentType<P> }>) =>
	lazy(() => persistent(load));

/** Whether an error says that a part of the program could not be loaded. */
export const isPartMissing = (error: unknown): boolean =>
	error instanceof Error &&
	/dynamically imported module|importing a module script failed/i.test(error.message);
