import { useRouterState } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../components/controls";
import { Empty } from "../../components/States";
import { useItemKeys, useMarkKey, useStepKeys } from "../../components/stepKeys";
import type { Change, Comparison } from "../../lib/comparison";
import { count, counted } from "../../lib/format";
import {
	areReleases,
	filtered,
	type Review as Causes,
	type Reviewed,
	STEPS,
	type Step,
	unviewedFrom,
} from "../../lib/review";
import { markIn, type Sides } from "../../lib/sides";
import { CauseCard } from "./CauseCard";
import { CauseTree } from "./CauseTree";
import styles from "./Review.module.css";
import { ReviewBar } from "./ReviewBar";
import { useViewed } from "./useViewed";

const TITLES: Record<Step, string> = {
	act: "Undo or accept",
	look: "Look at",
	new: "New operators",
	accepted: "Accepted",
	rest: "The rest",
};

/** Releases are out: what matters is what they mean. */
const RELEASE_TITLES: Record<Step, string> = {
	...TITLES,
	act: "What breaks for you",
	look: "What may affect you",
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
	const flip = (id: string) => setFlipped((now) => flippedIn(now, id));
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
	// The cause that is to get the focus once it is drawn.
	const wanted = useRef<string>(undefined);
	useEffect(() => {
		const toggle = wanted.current === undefined ? null : toggleOf(box.current, wanted.current);
		if (!toggle) return;
		wanted.current = undefined;
		reach(toggle);
	});
	// The cause that one went to last, which clicks elsewhere do not change.
	const last = useRef<string>(undefined);
	const go = ({ id, step }: Reviewed) => {
		wanted.current = id;
		last.current = id;
		setLong((now) => new Set(now).add(step));
		if (step === "rest") setRest(true);
		setFlipped((now) => (now.has(id) === isOnly ? flippedIn(now, id) : now));
	};
	const goOn = (by: number) => {
		const next = unviewedFrom(causes, viewed, focusedIn(box.current) ?? last.current, by);
		if (next) go(next);
	};
	const setViewed = (id: string, isViewed: boolean) => {
		if (viewed.has(id) === isViewed) return;
		mark(id);
		last.current = id;
		if (isViewed && isOpen(id)) flip(id);
	};
	useStepKeys(goOn);
	useItemKeys((by) => step(box.current, by), true);
	useMarkKey(() => {
		const id = focusedIn(box.current);
		if (id !== undefined) setViewed(id, !viewed.has(id));
	});
	if (causes.length === 0) {
		return onClear ? (
			<Empty title="No changes match these filters">
				<Button onClick={onClear}>Clear filters</Button>
			</Empty>
		) : (
			<Empty title="Nothing changed" />
		);
	}
	const titles = areReleases(comparison) ? RELEASE_TITLES : TITLES;
	return (
		<div
			ref={box}
			className={styles.review}
			data-only={isOnly || undefined}
			tabIndex={-1}
			onKeyDown={(event) => event.key === "Escape" && box.current?.focus({ preventScroll: true })}
		>
			<ReviewBar causes={causes} viewed={viewed} onNext={() => goOn(1)} />
			<CauseTree causes={causes} viewed={viewed} onGo={go} />
			<div className={styles.steps}>
				{STEPS.map((step) => {
					const own = causes.filter((cause) => cause.step === step);
					if (own.length === 0) return null;
					// What needs nobody is a line, unless it is all there is or what filters ask for.
					const canFold = step === "rest" && own.length < causes.length && onClear === undefined;
					const isFolded = canFold && !hasRest;
					const most = isFolded ? 0 : SHOWN;
					const shown = isLong.has(step) && !isFolded ? own : own.slice(0, most);
					return (
						<section key={step} className={styles.step} aria-label={titles[step]}>
							<h2>
								{titles[step]} <span className="muted num">{count(own.length)}</span>
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
									onViewed={(isViewed) => setViewed(cause.id, isViewed)}
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
		</div>
	);
}

/** A set with this in it where it was not, and without it where it was. */
function flippedIn(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
	const next = new Set(set);
	if (!next.delete(id)) next.add(id);
	return next;
}

/** The cause of the change that the address names. */
function holderOf(causes: readonly Reviewed[], fingerprint: string): Reviewed | undefined {
	if (fingerprint === "") return undefined;
	return causes.find(({ edits, consequences }) =>
		[...edits, ...consequences].some((change) => change.fingerprint === fingerprint),
	);
}

const togglesIn = (box: HTMLElement | null) => [
	...(box?.querySelectorAll<HTMLElement>("[data-cause]") ?? []),
];

const toggleOf = (box: HTMLElement | null, id: string) =>
	togglesIn(box).find((toggle) => toggle.dataset.cause === id) ?? null;

/** The cause that has the focus. */
const focusedIn = (box: HTMLElement | null): string | undefined =>
	togglesIn(box).find((toggle) => toggle.closest("article")?.contains(document.activeElement))
		?.dataset.cause;

/** Brings a cause under what stays at the top of the window, and gives it the focus. */
function reach(toggle: HTMLElement): void {
	toggle.closest("article")?.scrollIntoView({ block: "start" });
	toggle.focus({ preventScroll: true });
}

/** Moves the focus to the next cause, or the one before. */
function step(box: HTMLElement | null, by: number): void {
	const toggles = togglesIn(box);
	const from = toggles.findIndex((toggle) => toggle.dataset.cause === focusedIn(box));
	const at = from < 0 ? (by > 0 ? 0 : toggles.length - 1) : from + by;
	toggles[at]?.focus();
}
