import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Where `vite dev` finds a running `opatlas serve`.
const server = process.env.OPATLAS_SERVER ?? "http://127.0.0.1:8080";

export default defineConfig({
	plugins: [react()],
	build: {
		// The Content-Security-Policy allows files of our own and nothing else: no data: URLs, no
		// inline script.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		target: "es2022",
		reportCompressedSize: false,
		rolldownOptions: {
			output: {
				// Few files rather than many small ones: what every view needs, and what few do.
				codeSplitting: {
					groups: [
						{
							name: "vendor",
							test: /node_modules[\\/](react|react-dom|scheduler|openapi-fetch|@tanstack[\\/](react-)?(router|query|store|history))/,
						},
						// Tables that sort and the choice of a revision bring libraries with them, which the
						// first view does not need.
						{
							name: "shared",
							test: /src[\\/](components[\\/](?!SortedTable|RevisionBox)|api|layout[\\/]place|lib)/,
							minShareCount: 9,
						},
					],
				},
			},
		},
	},
	server: {
		proxy: Object.fromEntries(
			["/v1", "/openapi.json", "/problems", "/healthz"].map((path) => [path, server]),
		),
	},
	test: { include: ["src/**/*.test.ts"], environment: "node" },
});
