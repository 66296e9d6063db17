import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import "uplot/dist/uPlot.min.css";
import { placeAddress, placeTitle } from "../../lib/history";
import { axisRange, type Line, type Note, placed } from "../../lib/trends";
import { comparePath } from "../../nav";
import styles from "./Chart.module.css";
import { draw, look } from "./plot";

/** How far notes are apart at least, in pixels. */
const NOTE = 130;

interface Props {
	/** What it shows, for those who do not see it. */
	label: string;
	project: string;
	/** What each point is called, and on the axis. */
	titles: readonly string[];
	axis: readonly string[];
	lines: readonly Line[];
	/** A value as text. */
	format: (value: number) => string;
	/** What no value exceeds. */
	most?: number | undefined;
	/** What it points out. */
	notes?: readonly Note[] | undefined;
	/** The line that is hidden at first, because of its scale. */
	apart?: string | undefined;
	/** A stretch was chosen, from point to point. */
	onZoom?: ((from: number, to: number) => void) | undefined;
}

/** A number that goes up whenever colors change. */
function useTheme(): number {
	const [at, setAt] = useState(0);
	useEffect(() => {
		const changed = () => setAt((at) => at + 1);
		const dark = matchMedia("(prefers-color-scheme: dark)");
		dark.addEventListener("change", changed);
		addEventListener("opatlas-theme", changed);
		return () => {
			dark.removeEventListener("change", changed);
			removeEventListener("opatlas-theme", changed);
		};
	}, []);
	return at;
}

/** Runs when the element has come near the window, each in a task of its own. */
function whenNear(node: HTMLElement, run: () => void): () => void {
	let task: ReturnType<typeof setTimeout> | undefined;
	const observer = new IntersectionObserver(
		(entries) => {
			if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
			observer.disconnect();
			task = setTimeout(run);
		},
		{ rootMargin: "100px" },
	);
	observer.observe(node);
	return () => {
		observer.disconnect();
		clearTimeout(task);
	};
}

/** Lines over a timeline; the legend tells the values at the pointer, else the last ones, and hides lines. */
export function Chart(props: Props) {
	const { label, project, titles, axis, lines, format, most, notes, apart, onZoom } = props;
	const host = useRef<HTMLDivElement>(null);
	const theme = useTheme();
	const [at, setAt] = useState<number>();
	const [hidden, setHidden] = useState<ReadonlySet<string>>(
		() => new Set(apart === undefined ? [] : [apart]),
	);
	const [pinned, setPinned] = useState<ReturnType<typeof placed>>([]);
	const zoom = useRef(onZoom);
	useEffect(() => {
		zoom.current = onZoom;
	}, [onZoom]);
	const zooms = onZoom !== undefined;
	const shown = Math.min(at ?? titles.length - 1, titles.length - 1);
	const seen = useMemo(() => lines.filter(({ name }) => !hidden.has(name)), [lines, hidden]);
	const range = useMemo(() => axisRange(seen, most), [seen, most]);
	// It is drawn anew when the theme changes, for that changes what colors are.
	useEffect(() => {
		const node = host.current;
		if (!node) return;
		let end: (() => void) | undefined;
		const stop = whenNear(node, () => {
			end = draw(node, {
				axis,
				lines,
				hidden,
				range,
				format,
				onPoint: setAt,
				onZoom: zooms ? (from, to) => zoom.current?.(from, to) : undefined,
				onDraw: (plot) => {
					const begin = plot.over.offsetLeft;
					setPinned(placed(notes ?? [], (at) => begin + plot.valToPos(at, "x"), NOTE));
				},
			});
		});
		return () => {
			stop();
			end?.();
		};
	}, [axis, lines, hidden, range, format, notes, zooms, theme]);
	const toggle = (name: string) => {
		const next = new Set(hidden);
		if (!next.delete(name) && next.size < lines.length - 1) next.add(name);
		setHidden(next);
	};
	return (
		<figure className={styles.figure}>
			{notes && (
				<ul className={styles.notes} aria-label="Changes">
					{pinned.map(({ note, left }) => (
						<li key={note.at} style={{ left }}>
							<Link
								to={comparePath(project, placeAddress(note.since), placeAddress(note.point))}
								title={`What changed from ${placeTitle(note.since)} to ${placeTitle(note.point)}`}
							>
								{note.text}
							</Link>
						</li>
					))}
				</ul>
			)}
			<div ref={host} className={styles.plot} role="img" aria-label={label} />
			<figcaption className={styles.legend}>
				<strong>{titles[shown]}</strong>
				{lines.map(({ name, values }, line) => {
					const { color, dash } = look(line);
					const value = values[shown];
					return (
						<button
							key={name}
							type="button"
							className={styles.item}
							aria-pressed={!hidden.has(name)}
							title={hidden.has(name) ? `Show ${name}` : `Hide ${name}`}
							onClick={() => toggle(name)}
						>
							<svg width="24" height="8" aria-hidden="true">
								<line
									x1="0"
									y1="4"
									x2="24"
									y2="4"
									strokeWidth="2.5"
									strokeDasharray={dash.join(" ")}
									style={{ stroke: `var(${color})` }}
								/>
							</svg>
							{name}
							<span className={styles.value}>
								{value === null || value === undefined ? "–" : format(value)}
							</span>
						</button>
					);
				})}
				<span className={styles.begins}>
					The axis begins at {format(range[0])}.{zooms && " Drag over the chart to zoom in."}
				</span>
			</figcaption>
		</figure>
	);
}
