// SPDX-License-Identifier: BSD-3-Clause
// The parts that drawn charts share: a sheet, text, axes with round numbers.
import { svg } from "./dom";
import { number } from "./format";
import { theme } from "./theme";

export function sheet(width: number, height: number): SVGSVGElement {
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "system-ui, sans-serif", "font-size": 12 });
}

type Anchor = "start" | "middle" | "end";
export function text(x: number, y: number, content: string, anchor: Anchor = "start", fill = theme().muted, size = 12) {
  return svg("text", { x, y, fill, "text-anchor": anchor, "font-size": size }, content);
}

// Round numbers from 0 or `from` to at least... the last one below `to`, about `wanted` of them.
export function ticks(from: number, to: number, wanted: number): number[] {
  const span = to - from;
  if (!(span > 0) || !Number.isFinite(span)) return [from];
  const rough = span / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough)!;
  const list: number[] = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * span; ++i) list.push(i * step);
  return list;
}

export interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
  x(value: number): number;
  y(value: number): number;
}

export function linearPlot(box: { left: number; top: number; width: number; height: number },
                           xRange: [number, number], yRange: [number, number]): Plot {
  const place = (v: number, [a, b]: [number, number], length: number): number => (b > a ? ((v - a) / (b - a)) * length : 0);
  return {
    ...box,
    x: (v) => box.left + place(v, xRange, box.width),
    y: (v) => box.top + box.height - place(v, yRange, box.height),
  };
}

const short = (value: number): string => number(Math.abs(value) < 1e-12 ? 0 : Number(value.toPrecision(6)), 6).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

export function xAxis(drawing: SVGElement, plot: Plot, values: number[], label: string): void {
  const bottom = plot.top + plot.height;
  drawing.append(svg("line", { x1: plot.left, x2: plot.left + plot.width, y1: bottom, y2: bottom, stroke: theme().muted }));
  for (const value of values)
    drawing.append(svg("line", { x1: plot.x(value), x2: plot.x(value), y1: bottom, y2: bottom + 4, stroke: theme().muted }),
      text(plot.x(value), bottom + 17, short(value), "middle"));
  drawing.append(text(plot.left + plot.width / 2, bottom + 35, label, "middle"));
}

export function yAxis(drawing: SVGElement, plot: Plot, values: number[], label: string): void {
  for (const value of values)
    drawing.append(
      svg("line", { x1: plot.left, x2: plot.left + plot.width, y1: plot.y(value), y2: plot.y(value), stroke: theme().line }),
      text(plot.left - 8, plot.y(value) + 4, short(value), "end"));
  drawing.append(text(plot.left - 8, plot.top - 10, label, plot.left > 60 ? "start" : "start"));
}
