import { lazyRouteComponent } from "@tanstack/react-router";
import { type ComponentType, lazy } from "react";
import { unreachable } from "../api/problem";

/** How long to wait before a part of the program is asked for again, in milliseconds. */
const WAITS = [300, 1200];

/** The address of a part that did not come, as browsers name it in the error. */
const ADDRESS = /https?:\/\/[^\s'"]+\.js/;

/**
 * Asks for a part of the program again where it did not come; a network may fail for a moment. Browsers
 * remember that an address failed, so it is asked for under another one.
 */
async function persistent<T>(load: () => Promise<T>): Promise<T> {
	let next = load;
	for (const [tries, wait] of WAITS.entries()) {
		try {
			return await next();
		} catch (error) {
			const address = error instanceof Error ? ADDRESS.exec(error.message)?.[0] : undefined;
			if (address?.startsWith(`${location.origin}/`)) {
				next = () => import(/* @vite-ignore */ `${address}?again=${tries + 1}`) as Promise<T>;
			}
			await new Promise((done) => setTimeout(done, wait));
		}
	}
	try {
		return await next();
	} catch (error) {
		if (await isServerThere()) throw error;
		throw unreachable();
	}
}

/** Whether the server that the program comes from answers at all. */
export async function isServerThere(): Promise<boolean> {
	try {
		await fetch("/favicon.svg", { method: "HEAD", cache: "no-store" });
		return true;
	} catch {
		return false;
	}
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
	/dynamically imported module|importing a module script failed|unable to preload css/i.test(
		error.message,
	);
