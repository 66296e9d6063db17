import { createRoute } from "@tanstack/react-router";
import { overloadsQuery } from "../api/queries";
import { ahead } from "../lib/ahead";
import { lazyPage } from "../lib/lazyPage";
import { type Raw, text } from "../lib/search";
import { revisionRoute } from "./revision";

/** What is chosen on the page of a base name, as it stands in the address. */
export interface NameSearch {
	/** The operator whose support is shown. */
	form?: string | undefined;
	/** The backend that is explained. */
	key?: string | undefined;
}

export const nameRoute = createRoute({
	getParentRoute: () => revisionRoute,
	path: "/names/$name",
	validateSearch: (raw: Raw): NameSearch => ({ form: text(raw, "form"), key: text(raw, "key") }),
	loader: (visit) => ahead(visit, overloadsQuery(visit.context.at, visit.params.name)),
	component: lazyPage(() => import("../pages/name/NameView")),
});
