import uPlot from "uplot";
import type { Line } from "../../lib/trends";

/** Colors that stay apart for the color-blind; dashes tell lines apart without color. */
const COLORS = ["kernel", "math", "default", "autograd", "batched", "nested", "ambiguous"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

/** How high a plot is, in pixels, as the style sheet has it. */
const HEIGHT = 300;
/** About how wide a letter of an axis is, and what is between two of its titles. */
const LETTER = 7.5;
const BETWEEN = 24;

/** The style of a line by its place: each pair of color and dashes comes once. */
export const look = (at: number) => ({
	color: `--reason-${COLORS[at % COLORS.length]}`,
	dash: DASHES[Math.floor(at / COLORS.length) % DASHES.length] ?? [],
});

/** What a plot shows, and whom it tells. */
export interface Plot {
	/** What points are called on the axis. */
	axis: readonly string[];
	/** In their places; those that are hidden are not drawn. */
	lines: readonly Line[];
	hidden: ReadonlySet<string>;
	range: [number, number];
	format: (value: number) => string;
	/** The point that is pointed at. */
	onPoint: (at: number | undefined) => void;
	/** A stretch that was dragged over, from point to point. */
	onZoom: ((from: number, to: number) => void) | undefined;
	/** It was drawn, at the first time or in another size. */
	onDraw: (plot: uPlot) => void;
}

/** What a color of the palette is just now, as a canvas takes it. */
function resolver(host: HTMLElement): (name: string) => string {
	const probe = document.createElement("span");
	host.append(probe);
	const of = (name: string) => {
		probe.style.color = `var(${name})`;
		return getComputedStyle(probe).color;
	};
	queueMicrotask(() => probe.remove());
	return of;
}

/** Draws lines into an element; what it gives takes them away. */
export function draw(node: HTMLElement, plot: Plot): () => void {
	const { axis, lines, hidden, range, format, onPoint, onZoom, onDraw } = plot;
	const color = resolver(node);
	const font = `12px ${getComputedStyle(node).fontFamily}`;
	const side = { stroke: color("--muted"), font, grid: { stroke: color("--line"), width: 1 } };
	const longest = Math.max(...axis.map((title) => title.length));
	const size = () => ({ width: node.clientWidth, height: HEIGHT });
	const select = (drawn: uPlot) => {
		const { left, width } = drawn.select;
		if (width <= 0 || !onZoom) return;
		const [from, to] = [drawn.posToIdx(left), drawn.posToIdx(left + width)];
		drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		if (to > from) onZoom(from, to);
	};
	const drawn = new uPlot(
		{
			...size(),
			legend: { show: false },
			cursor: { y: false, drag: { x: onZoom !== undefined, y: false, setScale: false, dist: 8 } },
			scales: { x: { time: false }, y: { range: () => range } },
			axes: [
				{
					...side,
					incrs: [1, 2, 3, 4, 5, 10, 20, 50, 100, 500],
					space: longest * LETTER + BETWEEN,
					values: (_, splits) =>
						splits.map((split, at) => {
							const title = axis[split] ?? "";
							return title === axis[splits[at - 1] ?? -1] ? "" : title;
						}),
				},
				{ ...side, size: 60, values: (_, splits) => splits.map(format) },
			],
			series: [
				{},
				...lines.map(({ name }, line) => {
					const { color: of, dash } = look(line);
					const shown = !hidden.has(name);
					return { label: name, stroke: color(of), width: 2, dash, points: { size: 5 }, show: shown };
				}),
			],
			hooks: {
				setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
				setSelect: [select],
				ready: [onDraw],
				setSize: [onDraw],
			},
		},
		[axis.map((_, point) => point), ...lines.map(({ values }) => values)],
		node,
	);
	const sizes = new ResizeObserver(() => {
		if (node.clientWidth !== drawn.width) drawn.setSize(size());
	});
	sizes.observe(node);
	return () => {
		sizes.disconnect();
		drawn.destroy();
	};
}
