// SPDX-License-Identifier: BSD-3-Clause
// Curves as a drawing, for export.
import { linearPlot, sheet, text, ticks, xAxis } from "./chart";
import { svg } from "./dom";
import { number } from "./format";
import { theme } from "./theme";

export interface Line {
  label: string;
  colour: string;
  values: (number | null)[];
}

function yTicks(low: number, high: number, log: boolean): number[] {
  if (!log) return ticks(low, high, 5);
  const powers = [];
  for (let p = Math.ceil(low); p <= high; ++p) powers.push(p);
  return powers.length >= 2 ? powers : ticks(low, high, 4);
}

export function lineChart(width: number, x: number[], lines: Line[], log: boolean, label: string): SVGSVGElement {
  const height = 420;
  const drawing = sheet(width, height);
  const up = (v: number): number => (log ? Math.log10(v) : v);
  const all = lines.flatMap((line) => line.values.filter((v): v is number => v !== null).map(up));
  let low = log ? Math.min(...all) : 0;
  let high = Math.max(...all, log ? -Infinity : 1e-300);
  if (!(high > low)) [low, high] = [low - 0.5, low + 0.5];
  const plot = linearPlot({ left: 70, top: 40, width: width - 90, height: height - 90 },
    [Math.min(...x), Math.max(...x)], [low, high]);
  for (const v of yTicks(low, high, log))
    drawing.append(svg("line", { x1: plot.left, x2: plot.left + plot.width, y1: plot.y(v), y2: plot.y(v), stroke: theme().line }),
      text(plot.left - 8, plot.y(v) + 4, number(log ? 10 ** v : v, 2), "end"));
  xAxis(drawing, plot, ticks(Math.min(...x), Math.max(...x), 8), label);
  let left = plot.left;
  for (const line of lines) {
    let path = "";
    let pen = false;
    line.values.forEach((v, i) => {
      if (v !== null) path += `${pen ? "L" : "M"}${plot.x(x[i]!).toFixed(2)} ${plot.y(up(v)).toFixed(2)}`;
      pen = v !== null;
    });
    drawing.append(svg("path", { d: path, fill: "none", stroke: line.colour, "stroke-width": 2, "stroke-linejoin": "round" }),
      svg("rect", { x: left, y: 12, width: 14, height: 4, fill: line.colour }), text(left + 20, 18, line.label, "start", theme().ink));
    left += 40 + 7.5 * line.label.length;
  }
  return drawing;
}
