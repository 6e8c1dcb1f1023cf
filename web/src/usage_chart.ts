// SPDX-License-Identifier: BSD-3-Clause
// How often atoms are used, and how many a code needs.
import { linearPlot, sheet, text, ticks, xAxis, yAxis } from "./chart";
import { el, svg } from "./dom";
import { type Figure, figure } from "./figure";
import { count, number, plural } from "./format";
import { knowsUsage, usage, usageTotal } from "./order";
import type { Report } from "./report";
import { theme } from "./theme";

function usageFigure(report: Report): Figure {
  const used = usage(report).slice().sort((a, b) => b - a);
  const dead = used.filter((v) => v === 0).length;
  const total = usageTotal(report);
  return figure({
    name: "usage", title: "Use of the atoms",
    caption: `Samples that use each atom, most used first: from ${count(used[0] ?? 0)} down to ${count(used[used.length - 1] ?? 0)} of ${count(total)}. ` +
      (dead === 0 ? "No atom is dead." : `${plural(dead, "atom is", "atoms are")} dead, marked below the axis.`),
    draw(width) {
      const drawing = sheet(width, 270);
      const most = Math.max(1, used[0] ?? 1);
      const plot = linearPlot({ left: 64, top: 30, width: width - 76, height: 185 }, [0, used.length], [0, most]);
      yAxis(drawing, plot, ticks(0, most, 4), "samples");
      const step = plot.width / Math.max(1, used.length);
      used.forEach((value, i) => {
        const top = plot.y(value);
        if (value > 0)
          drawing.append(svg("rect", { x: plot.x(i).toFixed(2), y: top.toFixed(2), width: Math.max(0.5, step - (step > 3 ? 1 : 0)).toFixed(2),
            height: Math.max(1, plot.top + plot.height - top).toFixed(2), fill: theme().accent }));
        else
          drawing.append(svg("rect", { class: "dead", x: plot.x(i).toFixed(2), y: plot.top + plot.height + 1,
            width: Math.max(1, step).toFixed(2), height: 5, fill: theme().warn }));
      });
      xAxis(drawing, plot, ticks(0, used.length, Math.min(8, used.length)).filter(Number.isInteger), "atoms, most used first");
      return drawing;
    },
  });
}

// Neighbouring counts are taken together when there are more than fit.
function bins(counts: number[], width: number): number[] {
  const result: number[] = [];
  counts.forEach((value, i) => { const b = Math.floor(i / width); result[b] = (result[b] ?? 0) + value; });
  return result;
}

const mean = (counts: number[]): number =>
  counts.reduce((sum, value, i) => sum + i * value, 0) / Math.max(1, counts.reduce((sum, value) => sum + value, 0));

function histogramFigure(report: Report): Figure | null {
  const { data } = report;
  if (!data) return null;
  const hasSparse = data.sparse_histogram.length > 0;
  return figure({
    name: "nonzeros", title: "Nonzeros per code",
    caption: `Of ${count(data.n_coded)} samples: ${number(mean(data.exact_histogram))} on average in exact codes` +
      (hasSparse ? `, ${number(mean(data.sparse_histogram))} in those of the one-product encoder.` : "."),
    draw(width) {
      const drawing = sheet(width, 270);
      const n = Math.max(data.exact_histogram.length, data.sparse_histogram.length);
      const binWidth = Math.max(1, Math.ceil(n / Math.max(10, (width - 76) / 7)));
      const exact = bins(data.exact_histogram, binWidth);
      const sparse = bins(data.sparse_histogram, binWidth);
      const most = Math.max(1, ...exact, ...sparse);
      const plot = linearPlot({ left: 64, top: 30, width: width - 76, height: 185 }, [-0.5, Math.max(exact.length, sparse.length) * binWidth - 0.5], [0, most]);
      yAxis(drawing, plot, ticks(0, most, 4), "samples");
      exact.forEach((value, i) => {
        const x = plot.x(i * binWidth - 0.5);
        drawing.append(svg("rect", { x: (x + 0.5).toFixed(2), y: plot.y(value).toFixed(2), width: Math.max(0.5, plot.x((i + 1) * binWidth - 0.5) - x - 1).toFixed(2),
          height: (plot.top + plot.height - plot.y(value)).toFixed(2), fill: theme().accent }));
      });
      let path = "";
      sparse.forEach((value, i) => {
        path += `${i === 0 ? "M" : "L"}${plot.x(i * binWidth - 0.5).toFixed(2)} ${plot.y(value).toFixed(2)}H${plot.x((i + 1) * binWidth - 0.5).toFixed(2)}`;
      });
      if (path) drawing.append(svg("path", { d: path, fill: "none", stroke: theme().coding, "stroke-width": 2 }));
      xAxis(drawing, plot, ticks(0, n, 6).filter((v) => Number.isInteger(v) && v < n), "nonzeros");
      const legend = plot.left + plot.width;
      drawing.append(svg("rect", { x: legend - 132, y: 10, width: 10, height: 10, fill: theme().accent }), text(legend - 118, 19, "exact", "start", theme().ink));
      if (path)
        drawing.append(svg("line", { x1: legend - 74, x2: legend - 60, y1: 15, y2: 15, stroke: theme().coding, "stroke-width": 2 }),
          text(legend - 54, 19, "sparse", "start", theme().ink));
      return drawing;
    },
  });
}

export function usageSection(report: Report): HTMLElement {
  const histogram = histogramFigure(report);
  return el("section", { id: "usage" }, el("h2", {}, "Who uses what"),
    histogram ? null : el("p", { class: "hint" }, "Give samples with ", el("code", {}, "--data"), " to see the nonzeros of their codes, and them as sums of atoms."),
    el("div", { class: histogram ? "halves" : "" }, knowsUsage(report) ? usageFigure(report).element : null, histogram?.element));
}
