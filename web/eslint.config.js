// Only what the compiler cannot see: the rules of hooks. `tsc` checks types, and the rest is style.
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default [
	{ ignores: ["dist/", "src/api/schema.d.ts"] },
	{
		files: ["src/**/*.{ts,tsx}"],
		languageOptions: { parser: tseslint.parser },
		linterOptions: { reportUnusedDisableDirectives: "error" },
		plugins: { "react-hooks": hooks },
		rules: {
			"react-hooks/rules-of-hooks": "error",
			"react-hooks/exhaustive-deps": "error",
		},
	},
];
