import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { matrixQuery } from "../../api/queries";
import { usePlace } from "../../layout/place";
import { columnOf } from "../../lib/matrix";

const route = getRouteApi("/p/$project/r/$rev/backends/$key");

/** The key that a tab is of, in the matrix that the page around it has loaded. */
export function useBackend() {
	const place = usePlace();
	const { key } = route.useParams();
	const { data: view } = useSuspenseQuery(matrixQuery(place));
	return { place, key, view, column: columnOf(view, key) };
}
