import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/problem";
import { queryClient } from "./api/queries";
import { router } from "./router";
import "./styles/tokens.css";
import "./styles/base.css";

const root = document.getElementById("root");
if (root) {
	createRoot(root, {
		// What the server says is shown where it matters; it is no fault of this page.
		onCaughtError: (error) => {
			if (!(error instanceof ApiError)) console.error(error);
		},
	}).render(
		<StrictMode>
			<QueryClientProvider client={queryClient}>
				<RouterProvider router={router} />
			</QueryClientProvider>
		</StrictMode>,
	);
}
