import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Line } from "../../lib/trends";
import styles from "./Chart.module.css";

/** Colours that stay apart for the colour-blind; dashes tell lines apart without colour. */
const COLOURS = ["kernel", "math", "default", "autograd", "batched", "nested", "ambiguous"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const HEIGHT = 300;

interface Props {
	/** What it shows, for those who do not see it. */
	label: string;
	/** What each point is called. */
	titles: readonly string[];
	lines: readonly Line[];
	/** A value as text. */
	format: (value: number) => string;
	/** The least and the greatest value of the axis; by default from zero to what the lines need. */
	range?: [number, number];
}

/** The style of a line by its place: each pair of colour and dashes comes once. */
const look = (at: number) => ({
	colour: `--reason-${COLOURS[at % COLOURS.length]}`,
	dash: DASHES[Math.floor(at / COLOURS.length) % DASHES.length] ?? [],
});

/** An axis that begins with zero, so that heights may be compared. */
const fromZero = (_: uPlot, __: number, most: number): [number, number] => [
	0,
	most > 0 ? most * 1.05 : 1,
];

/** A number that goes up whenever colours change. */
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

/** What a colour of the palette is just now, as a canvas takes it. */
function resolver(host: HTMLElement): (name: string) => string {
	return (name) => {
		const probe = document.createElement("span");
		probe.style.color = `var(${name})`;
		host.append(probe);
		const colour = getComputedStyle(probe).color;
		probe.remove();
		return colour;
	};
}

/** Lines over a timeline; the legend tells the values at the pointer, else the last ones. */
export function Chart({ label, titles, lines, format, range }: Props) {
	const host = useRef<HTMLDivElement>(null);
	const theme = useTheme();
	const [at, setAt] = useState<number>();
	const shown = Math.min(at ?? titles.length - 1, titles.length - 1);
	const [least, most] = range ?? [];
	// It is drawn anew when the theme changes, for that changes what colours are.
	useEffect(() => {
		const node = host.current;
		if (!node) return;
		const colour = resolver(node);
		const font = `12px ${getComputedStyle(node).fontFamily}`;
		const axis = { stroke: colour("--muted"), font, grid: { stroke: colour("--line"), width: 1 } };
		const plot = new uPlot(
			{
				width: node.clientWidth,
				height: HEIGHT,
				legend: { show: false },
				cursor: { y: false, drag: { x: false, y: false } },
				scales: {
					x: { time: false },
					y: { range: least === undefined || most === undefined ? fromZero : [least, most] },
				},
				axes: [
					{
						...axis,
						incrs: [1, 2, 3, 4, 5, 10, 20, 50, 100, 500],
						space: 60,
						values: (_, splits) => splits.map((split) => titles[split] ?? ""),
					},
					{ ...axis, size: 60, values: (_, splits) => splits.map(format) },
				],
				series: [
					{},
					...lines.map(({ name }, line) => {
						const { colour: of, dash } = look(line);
						return { label: name, stroke: colour(of), width: 2, dash, points: { size: 5 } };
					}),
				],
				hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? undefined)] },
			},
			[titles.map((_, point) => point), ...lines.map(({ values }) => values)],
			node,
		);
		const sizes = new ResizeObserver(() =>
			plot.setSize({ width: node.clientWidth, height: HEIGHT }),
		);
		sizes.observe(node);
		return () => {
			sizes.disconnect();
			plot.destroy();
		};
	}, [titles, lines, format, least, most, theme]);
	return (
		<figure className={styles.figure}>
			<div ref={host} className={styles.plot} role="img" aria-label={label} />
			<figcaption className={styles.legend}>
				<strong>{titles[shown]}</strong>
				{lines.map(({ name, values }, line) => {
					const { colour, dash } = look(line);
					const value = values[shown];
					return (
						<span key={name} className={styles.item}>
							<svg width="24" height="8" aria-hidden="true">
								<line
									x1="0"
									y1="4"
									x2="24"
									y2="4"
									strokeWidth="2.5"
									strokeDasharray={dash.join(" ")}
									style={{ stroke: `var(${colour})` }}
								/>
							</svg>
							{name}
							<span className={styles.value}>
								{value === null || value === undefined ? "–" : format(value)}
							</span>
						</span>
					);
				})}
			</figcaption>
		</figure>
	);
}
