import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { revisionQuery } from "../api/queries";
import { addressOf } from "../lib/revisions";
import { usePlace } from "./place";

/** `latest` moves, and an address that is shared should not: it becomes what it stands for. */
export function RevisionFrame() {
	const place = usePlace();
	const isLatest = place.rev === "latest";
	const { data } = useQuery({ ...revisionQuery(place), enabled: isLatest });
	const navigate = useNavigate();
	useEffect(() => {
		if (!isLatest || !data) return;
		void navigate({
			to: ".",
			params: { rev: addressOf(data) } as never,
			search: true,
			hash: true,
			replace: true,
		});
	}, [isLatest, data, navigate]);
	return <Outlet />;
}
