import { createRoute } from "@tanstack/react-router";
import { lazyPage } from "../lib/lazyPage";
import { oneOf, type Raw, text } from "../lib/search";
import { rootRoute } from "./root";

export const VALIDATE_TABS = ["findings", "operators", "dispatch", "implement"] as const;

export interface ValidateSearch {
	/** The release whose rules apply; the newest where it is left out. */
	release?: string | undefined;
	tab?: (typeof VALIDATE_TABS)[number] | undefined;
	/** The operator whose dispatch table or declarations are shown. */
	operator?: string | undefined;
	/** The dispatch key to implement it for. */
	key?: string | undefined;
	/** The project of the revision. */
	project?: string | undefined;
	/** The revision that the entries are checked over. */
	over?: string | undefined;
	/** The rule whose bad example to begin with. */
	rule?: string | undefined;
}

/** The text itself stands in the fragment, which browsers send to nobody. */
export const validateRoute = createRoute({
	getParentRoute: () => rootRoute,
	path: "/validate",
	validateSearch: (raw: Raw): ValidateSearch => ({
		release: text(raw, "release"),
		tab: oneOf(raw, "tab", VALIDATE_TABS),
		operator: text(raw, "operator"),
		key: text(raw, "key"),
		project: text(raw, "project"),
		over: text(raw, "over"),
		rule: text(raw, "rule"),
	}),
	component: lazyPage(() => import("../pages/validate/Validate")),
});
