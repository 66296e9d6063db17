import type { Tone } from "../components/Badge";

/** How bad a change may be, the worst first. */
export const LEVELS = [
	"breaking",
	"forward-breaking",
	"dangerous",
	"info",
	"safe",
	"none",
] as const;
export type Level = (typeof LEVELS)[number];

/** The least levels that may fail a comparison, the strictest last. */
export const FAIL_ON = [
	"breaking",
	"forward-breaking",
	"dangerous",
	"info",
	"safe",
	"never",
] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** Whose view may count. */
export const PROFILES = [
	"strict",
	"official",
	"python",
	"model",
	"cpp",
	"backend",
	"compiler",
] as const;
export type Profile = (typeof PROFILES)[number];

interface Look {
	title: string;
	glyph: string;
	tone: Tone;
	meaning: string;
}

/** How each level is shown and said. */
export const LEVEL_LOOKS: Record<Level, Look> = {
	breaking: {
		title: "Breaking",
		glyph: "✕",
		tone: "error",
		meaning: "Existing code fails or silently changes.",
	},
	"forward-breaking": {
		title: "Forward-breaking",
		glyph: "⇤",
		tone: "warning",
		meaning: "Only new code fails on an old runtime.",
	},
	dangerous: {
		title: "Dangerous",
		glyph: "!",
		tone: "warning",
		meaning: "Someone has to act, or behavior may differ.",
	},
	info: { title: "Info", glyph: "i", tone: "info", meaning: "Worth knowing." },
	safe: { title: "Safe", glyph: "✓", tone: "good", meaning: "Harms nobody." },
	none: {
		title: "No change in meaning",
		glyph: "=",
		tone: "plain",
		meaning: "Different text, same meaning.",
	},
};

/** Who may be hurt, with what they do. */
export const AUDIENCES: Record<string, string> = {
	"python-keyword": "Python callers by keyword",
	"python-positional": "Python callers by position",
	"saved-model": "saved models on the new runtime",
	"new-model": "new models on the old runtime",
	cpp: "C++ callers",
	backend: "out-of-tree backends",
	autograd: "autograd formulas",
	compiler: "functionalization and torch.compile",
	"torch-ops": "Python callers through torch.ops",
	export: "exported programs",
	aoti: "packages compiled by AOTInductor",
	transforms: "vmap, autocast and DTensor",
};

/** What each profile counts. */
export const PROFILE_NAMES: Record<Profile, string> = {
	strict: "strict: everybody",
	official: "official: PyTorch's own check",
	python: "python: Python callers",
	model: "model: saved and new models",
	cpp: "cpp: C++ callers",
	backend: "backend: out-of-tree backends",
	compiler: "compiler: autograd, export, compile",
};
