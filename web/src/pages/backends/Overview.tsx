import { type RefObject, useEffect, useRef } from "react";
import type { MatrixOperator } from "../../lib/matrix";
import type { Sheet } from "../../lib/sheet";
import styles from "./Backends.module.css";
import type { GridHandle } from "./MatrixGrid";

interface Props {
	sheet: Sheet;
	operators: readonly MatrixOperator[];
	columns: readonly number[];
	grid: RefObject<GridHandle | null>;
}

/** About how wide the overview is, in pixels. */
const WIDTH = 144;

/**
 * The whole matrix, a pixel a cell, drawn to the size of its box; a frame shows what the grid shows,
 * and a press goes there. The grid is its twin for those who cannot see it.
 */
export function Overview({ sheet, operators, columns, grid }: Props) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const frame = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const node = canvas.current;
		if (!node) return;
		let whole = painted(sheet, operators, columns);
		// Stretched by the style sheet, it would be scaled anew for every frame of the grid's.
		const fit = () => {
			node.width = Math.round(node.clientWidth * devicePixelRatio);
			node.height = Math.round(node.clientHeight * devicePixelRatio);
			const context = node.getContext("2d");
			if (!context || whole.width === 0 || whole.height === 0) return;
			// Rows that are larger than here have sharp edges; many that share a pixel are mixed.
			context.imageSmoothingEnabled = whole.height > node.height;
			context.imageSmoothingQuality = "high";
			context.drawImage(whole, 0, 0, node.width, node.height);
		};
		const draw = () => {
			whole = painted(sheet, operators, columns);
			fit();
		};
		const resized = new ResizeObserver(fit);
		resized.observe(node);
		const scheme = matchMedia("(prefers-color-scheme: dark)");
		scheme.addEventListener("change", draw);
		window.addEventListener("opatlas-theme", draw);
		return () => {
			scheme.removeEventListener("change", draw);
			window.removeEventListener("opatlas-theme", draw);
			resized.disconnect();
		};
	}, [sheet, operators, columns]);
	useEffect(() => {
		const box = grid.current?.box;
		const node = frame.current;
		if (!box || !node) return;
		// Sizes are read when they change: read while one scrolls, they would cost a layout a frame.
		let scale = 0;
		const follow = () => {
			node.style.transform = `translateY(${box.scrollTop * scale}px)`;
		};
		const measure = () => {
			const all = node.parentElement?.clientHeight ?? 0;
			scale = all / Math.max(1, box.scrollHeight);
			node.style.height = `${Math.min(all, box.clientHeight * scale)}px`;
			follow();
		};
		measure();
		// Before the grid draws: after it, reading where it is scrolled to would cost a layout too.
		const first = { passive: true, capture: true };
		box.addEventListener("scroll", follow, first);
		const resized = new ResizeObserver(measure);
		resized.observe(box);
		return () => {
			box.removeEventListener("scroll", follow, first);
			resized.disconnect();
		};
	}, [grid, operators, columns]);
	const go = (event: React.PointerEvent) => {
		if (event.buttons === 0) return;
		const { top, height } = event.currentTarget.getBoundingClientRect();
		grid.current?.scrollTo(Math.max(0, Math.min(0.9999, (event.clientY - top) / height)));
	};
	return (
		<div className={styles.overview} aria-hidden="true" onPointerDown={go} onPointerMove={go}>
			<canvas ref={canvas} />
			<div ref={frame} className={styles.frame} />
		</div>
	);
}

/** The colour of each kind of cell, as the style sheet has it now. */
function colours(sheet: Sheet): [number, number, number, number][] {
	const probe = document.createElement("span");
	document.body.append(probe);
	const read = sheet.looks.map(({ className, quiet }): [number, number, number, number] => {
		probe.className = className;
		const [red = 0, green = 0, blue = 0] = (
			getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
		).map(Number);
		return [red, green, blue, quiet ? 40 : 255];
	});
	probe.remove();
	return read;
}

function painted(
	sheet: Sheet,
	operators: readonly MatrixOperator[],
	columns: readonly number[],
): HTMLCanvasElement {
	const canvas = document.createElement("canvas");
	// Few columns are drawn wide, so that stretching does not blur them into each other.
	const wide = Math.max(1, Math.floor(WIDTH / columns.length));
	canvas.width = columns.length * wide;
	canvas.height = operators.length;
	const context = canvas.getContext("2d");
	if (!context || canvas.width === 0 || canvas.height === 0) return canvas;
	const palette = colours(sheet);
	const image = context.createImageData(canvas.width, canvas.height);
	let at = 0;
	for (const operator of operators) {
		for (const column of columns) {
			const colour = palette[sheet.at(operator, column)];
			for (let pixel = 0; pixel < wide; pixel += 1) {
				if (colour) image.data.set(colour, at);
				at += 4;
			}
		}
	}
	context.putImageData(image, 0, 0);
	return canvas;
}
