/**
 * The reasons that a cell of a dispatch table may have, with how they are shown and said. No symbol
 * is also that of a verdict.
 */
export const REASONS = [
	{
		name: "kernel",
		id: "kernel",
		short: "Own kernel",
		glyph: "★",
		meaning: "A kernel is registered on this key.",
	},
	{
		name: "default backend kernel",
		id: "default",
		short: "Composite, explicit",
		glyph: "◆",
		meaning: "A CompositeExplicitAutograd kernel runs on every backend without its own kernel.",
	},
	{
		name: "nested kernel",
		id: "nested",
		short: "Nested composite",
		glyph: "◈",
		meaning: "A CompositeImplicitAutogradNestedTensor kernel runs for nested tensors.",
	},
	{
		name: "math kernel",
		id: "math",
		short: "Composite, implicit",
		glyph: "◇",
		meaning:
			"A CompositeImplicitAutograd kernel calls other operators; autograd follows from them.",
	},
	{
		name: "ambiguous autogradother",
		id: "ambiguous",
		short: "Ambiguous",
		glyph: "▲",
		meaning: "AutogradOther stands for several backends that need different kernels. A call is an error.",
	},
	{
		name: "autograd kernel",
		id: "autograd",
		short: "Autograd alias",
		glyph: "■",
		meaning: "A kernel on the alias key Autograd runs for every autograd key.",
	},
	{
		name: "batched kernel",
		id: "batched",
		short: "Batched alias",
		glyph: "▣",
		meaning: "A kernel on FuncTorchBatchedDecomposition runs under vmap.",
	},
	{
		name: "backend fallback",
		id: "fallback",
		short: "Fallback",
		glyph: "▽",
		meaning: "The backend fallback of this key runs for operators without a kernel.",
	},
	{
		name: "missing",
		id: "missing",
		short: "Missing",
		glyph: "–",
		meaning: "No kernel. A call is an error.",
	},
] as const;

export type Reason = (typeof REASONS)[number];
export type ReasonName = Reason["name"];

const BY_NAME = new Map<string, Reason>(REASONS.map((reason) => [reason.name, reason]));
const MISSING = REASONS[REASONS.length - 1] as Reason;

/** How a reason is shown; one that this page does not know is shown as missing. */
export function reasonOf(name: string): Reason {
	return BY_NAME.get(name) ?? MISSING;
}

export function isReason(name: string): name is ReasonName {
	return BY_NAME.has(name);
}

/**
 * What a cell amounts to for somebody who counts coverage. `other`: the operator fails because only
 * other backends have it, so it is not counted.
 */
export type Standing = "direct" | "inherited" | "missing" | "unknown" | "other";

/** How the server says that an operator stands, in the words of this page. */
const STANDINGS: Record<string, Standing> = {
	own: "direct",
	inherited: "inherited",
	partly: "missing",
	fails: "missing",
};

/** How an operator stands; what this page does not know is unknown. */
export const standingOf = (name: string): Standing => STANDINGS[name] ?? "unknown";
