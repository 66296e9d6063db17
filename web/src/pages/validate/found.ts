import { type ChangeDesc, type EditorState, StateEffect, StateField } from "@codemirror/state";
import type { Finding } from "../../api/queries";
import { rangeOf, visible } from "../../lib/positions";

/** A finding with where it is in the editor now, and where its fix goes. */
export interface Found {
	finding: Finding;
	from: number;
	to: number;
	fix: { from: number; to: number; replacement: string } | undefined;
}

/** Tells the editor what was found in the text that it has. */
export const setFound = StateEffect.define<readonly Finding[]>();

function placed(state: EditorState, findings: readonly Finding[]): Found[] {
	const { doc } = state;
	return findings.map((finding) => ({
		finding,
		...visible(rangeOf(doc, finding.span), doc, finding.span.line),
		fix: finding.fix
			? { ...rangeOf(doc, finding.fix.span), replacement: finding.fix.replacement }
			: undefined,
	}));
}

/** A fix where its place is now; none where somebody has typed there since. */
function moved(fix: Found["fix"], changes: ChangeDesc): Found["fix"] {
	if (!fix || changes.touchesRange(fix.from, fix.to)) return undefined;
	return { ...fix, from: changes.mapPos(fix.from), to: changes.mapPos(fix.to) };
}

/**
 * The fixes in the order of the text, without those that touch one before them: they may be about
 * the same words.
 */
export function apart(found: readonly Found[]): NonNullable<Found["fix"]>[] {
	const fixes = found.flatMap(({ fix }) => fix ?? []);
	fixes.sort((a, b) => a.from - b.from || a.to - b.to);
	let end = -1;
	return fixes.filter(({ from, to }) => {
		if (from <= end) return false;
		end = to;
		return true;
	});
}

/** The findings; they move with what they are about while one types, until the next answer. */
export const foundField = StateField.define<readonly Found[]>({
	create: () => [],
	update(found, transaction) {
		for (const effect of transaction.effects) {
			if (effect.is(setFound)) return placed(transaction.state, effect.value);
		}
		if (!transaction.docChanged) return found;
		const { changes } = transaction;
		return found.map((one) => ({
			...one,
			from: changes.mapPos(one.from, 1),
			to: Math.max(changes.mapPos(one.from, 1), changes.mapPos(one.to, -1)),
			fix: moved(one.fix, changes),
		}));
	},
});
