import { useRouterState } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../components/controls";
import { Empty } from "../../components/States";
import { useStepKeys } from "../../components/stepKeys";
import type { Change, Comparison } from "../../lib/comparison";
import { count, counted } from "../../lib/format";
import { filtered, type Review as Causes, type Reviewed, STEPS, type Step } from "../../lib/review";
import { markIn, type Sides } from "../../lib/sides";
import { CauseCard } from "./CauseCard";
import styles from "./Review.module.css";
import { useViewed } from "./useViewed";

const TITLES: Record<Step, string> = {
	act: "Undo or accept",
	look: "Look at",
	new: "New operators",
	accepted: "Accepted",
	rest: "The rest",
};

/** So many causes of a step are listed before one asks for more. */
const SHOWN = 40;

interface Props {
	review: Causes;
	comparison: Comparison;
	/** The changes that pass the filters. */
	passing: readonly Change[];
	/** Pasted texts, where nothing is stored. */
	texts: Sides | undefined;
	onClear: (() => void) | undefined;
}

/** A comparison as a review: every cause in a line until it is unfolded, with marks for the viewed. */
export function Review({ review, comparison, passing, texts, onClear }: Props) {
	const causes = useMemo(() => {
		const fine = new Set(passing);
		return review.causes.flatMap((cause) => filtered(cause, fine) ?? []);
	}, [review, passing]);
	const { viewed, toggle: mark } = useViewed(comparison);
	// The only cause there is begins unfolded.
	const isOnly = causes.length === 1;
	const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
	const isOpen = (id: string) => flipped.has(id) !== isOnly;
	const [isLong, setLong] = useState<ReadonlySet<Step>>(new Set());
	const [hasRest, setRest] = useState(false);
	const marked = useRouterState({ select: (state) => markIn(state.location.hash) });
	const holder = useMemo(() => holderOf(causes, marked), [causes, marked]);
	const holderId = holder?.id;
	const holderStep = holder?.step;
	useEffect(() => {
		if (holderId === undefined || holderStep === undefined) return;
		setLong((now) => new Set(now).add(holderStep));
		setRest((now) => now || holderStep === "rest");
		if (!isOnly) setFlipped((now) => new Set(now).add(holderId));
	}, [holderId, holderStep, isOnly]);
	const box = useRef<HTMLDivElement>(null);
	useStepKeys((by) => step(box.current, by), { items: true });
	if (causes.length === 0) {
		return onClear ? (
			<Empty title="No changes match these filters">
				<Button onClick={onClear}>Clear filters</Button>
			</Empty>
		) : (
			<Empty title="Nothing changed" />
		);
	}
	const flip = (id: string) =>
		setFlipped((now) => {
			const next = new Set(now);
			if (!next.delete(id)) next.add(id);
			return next;
		});
	const done = causes.filter(({ id }) => viewed.has(id)).length;
	return (
		<div
			ref={box}
			className={styles.review}
			tabIndex={-1}
			onKeyDown={(event) => event.key === "Escape" && box.current?.focus({ preventScroll: true })}
		>
			<p className={styles.progress} role="status">
				{counted(causes.length, "cause")}, <strong>{count(done)} viewed</strong>
			</p>
			{STEPS.map((step) => {
				const own = causes.filter((cause) => cause.step === step);
				if (own.length === 0) return null;
				// What needs nobody is a line, unless it is all there is or what filters ask for.
				const canFold = step === "rest" && own.length < causes.length && onClear === undefined;
				const isFolded = canFold && !hasRest;
				const most = isFolded ? 0 : SHOWN;
				const shown = isLong.has(step) && !isFolded ? own : own.slice(0, most);
				return (
					<section key={step} className={styles.step} aria-label={TITLES[step]}>
						<h2>
							{TITLES[step]} <span className="muted num">{count(own.length)}</span>
						</h2>
						{canFold && (
							<Button aria-expanded={hasRest} onClick={() => setRest(!hasRest)}>
								{hasRest ? "Fold" : `Show ${counted(own.length, "cause")} that ${own.length === 1 ? "needs" : "need"} no action`}
							</Button>
						)}
						{shown.map((cause) => (
							<CauseCard
								key={cause.id}
								cause={cause}
								comparison={comparison}
								texts={texts}
								isOpen={isOpen(cause.id)}
								onToggle={() => flip(cause.id)}
								isViewed={viewed.has(cause.id)}
								onViewed={(isViewed) => {
									mark(cause.id);
									if (isViewed && isOpen(cause.id)) flip(cause.id);
								}}
								marked={cause.id === holder?.id ? marked : ""}
							/>
						))}
						{!isFolded && shown.length < own.length && (
							<Button onClick={() => setLong((now) => new Set(now).add(step))}>
								Show {count(own.length - shown.length)} more
							</Button>
						)}
					</section>
				);
			})}
		</div>
	);
}

/** The cause of the change that the address names. */
function holderOf(causes: readonly Reviewed[], fingerprint: string): Reviewed | undefined {
	if (fingerprint === "") return undefined;
	return causes.find(({ edits, consequences }) =>
		[...edits, ...consequences].some((change) => change.fingerprint === fingerprint),
	);
}

/** Moves the focus to the next cause, or the one before. */
function step(box: HTMLElement | null, by: number): void {
	const toggles = [...(box?.querySelectorAll<HTMLElement>("[data-cause]") ?? [])];
	const from = toggles.findIndex((toggle) =>
		toggle.closest("article")?.contains(document.activeElement),
	);
	const at = from < 0 ? (by > 0 ? 0 : toggles.length - 1) : from + by;
	toggles[at]?.focus();
}
