// Lines that grow while they are watched, as a drawing of our own.

import { fill, h, svg } from "./dom";

export interface Series {
  name: string;
  colour: string;
  dash?: string;
  points: readonly (readonly [number, number])[];
}

export interface ChartOptions {
  title: string;
  xLabel: string;
  yLabel: string;
  format?: (value: number) => string;
  from?: number;
}

const [WIDTH, HEIGHT] = [380, 200];
const MARGIN = { left: 44, right: 10, top: 10, bottom: 32 };

/** A chart that can be drawn again and again with more points. */
export class Chart {
  readonly element: HTMLElement;
  private readonly drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img" });
  private readonly options: ChartOptions;

  constructor(options: ChartOptions) {
    this.options = options;
    this.drawing.setAttribute("aria-label", options.title);
    this.element = h("figure", { class: "figure" }, h("figcaption", {}, options.title), this.drawing);
  }

  /** Draws these lines in the place of those before. */
  update(series: readonly Series[]): void {
    const points = series.flatMap((line) => line.points);
    const finite = points.filter(([, y]) => Number.isFinite(y));
    const x = span(finite.map(([value]) => value), 0);
    const y = span(finite.map(([, value]) => value), this.options.from);
    const place = (point: readonly [number, number]): string =>
      `${at(point[0], x, MARGIN.left, WIDTH - MARGIN.right)},${at(point[1], y, HEIGHT - MARGIN.bottom, MARGIN.top)}`;
    fill(this.drawing, ...this.axes(x, y));
    for (const line of series) {
      const shown = line.points.filter(([, value]) => Number.isFinite(value));
      if (!shown.length) continue;
      this.drawing.append(
        svg("polyline", {
          points: shown.map(place).join(" "),
          fill: "none",
          stroke: line.colour,
          "stroke-width": 2.2,
          "stroke-linejoin": "round",
          "stroke-dasharray": line.dash,
        }),
      );
      const [cx, cy] = place(shown[shown.length - 1] as readonly [number, number]).split(",");
      this.drawing.append(svg("circle", { cx, cy, r: 3.2, fill: line.colour }));
    }
    const last = series.map((line) => `${line.name} ${this.text(line.points[line.points.length - 1]?.[1])}`);
    this.drawing.setAttribute("aria-label", `${this.options.title}: ${last.join(", ")}`);
  }

  private axes(x: Span, y: Span): SVGElement[] {
    const bottom = HEIGHT - MARGIN.bottom;
    const lines = ticks(y).flatMap((value) => {
      const height = at(value, y, bottom, MARGIN.top);
      return [
        svg("line", { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: height, y2: height, class: "grid" }),
        svg("text", { x: MARGIN.left - 6, y: height + 4, class: "tick end" }, this.text(value)),
      ];
    });
    const below = ticks(x).map((value) =>
      svg("text", { x: at(value, x, MARGIN.left, WIDTH - MARGIN.right), y: bottom + 15, class: "tick middle" }, short(value)),
    );
    const label = svg("text", { x: WIDTH - MARGIN.right, y: HEIGHT - 3, class: "tick end" }, this.options.xLabel);
    const top = svg("text", { x: MARGIN.left + 4, y: MARGIN.top + 8, class: "tick" }, this.options.yLabel);
    return [...lines, ...below, label, top];
  }

  private text(value: number | undefined): string {
    if (value === undefined || !Number.isFinite(value)) return "–";
    return this.options.format ? this.options.format(value) : short(value);
  }
}

type Span = readonly [number, number];

function span(values: readonly number[], from?: number): Span {
  const low = from ?? Math.min(...values, Infinity);
  const high = Math.max(...values, -Infinity);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [from ?? 0, (from ?? 0) + 1];
  return high > low ? [low, high + (high - low) * 0.06] : [low, low + 1];
}

function at(value: number, [low, high]: Span, first: number, last: number): number {
  return Math.round((first + ((value - low) / (high - low)) * (last - first)) * 10) / 10;
}

function ticks([low, high]: Span): number[] {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, at) => first + at * step);
}

function short(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
