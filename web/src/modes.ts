// SPDX-License-Identifier: BSD-3-Clause
// What each way of encoding costs and buys: the model's own table, and the same as a chart.
import { linearPlot, sheet, text, ticks, xAxis } from "./chart";
import { el, svg } from "./dom";
import { figure } from "./figure";
import { count, number } from "./format";
import type { EncodingRow, Report } from "./report";
import { exactNote } from "./mode_words";
import { theme } from "./theme";

const columns: [keyof EncodingRow, string, string][] = [
  ["code_error", "code error", "|u \u2212 u*| / |u*|"],
  ["energy_excess", "excess of E", "(E \u2212 E*) / E*"],
  ["reconstruction_error", "error", "|x \u2212 decoded| / |x|"],
  ["worst_error", "worst", "of a single sample"],
  ["debiased_reconstruction_error", "debiased", "least squares on the support"],
  ["pca_error", "PCA", "as many, one threshold"],
  ["nonzeros", "nonzeros", "per code"],
  ["support_overlap", "overlap", "of supports"],
  ["samples_per_second", "samples / s", "on the machine of the fit"]];

function cell(row: EncodingRow, key: keyof EncodingRow): HTMLElement {
  const value = row[key] as number | null | undefined;
  const shown = key === "samples_per_second" ? (value ? count(Number(value.toPrecision(3))) : "\u2013") : number(value);
  return el("td", {}, shown);
}

function table(rows: EncodingRow[]): HTMLElement {
  return el("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": "Table of the ways of encoding" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "mode"),
      ...columns.map(([, name, note]) => el("th", { scope: "col" }, name, el("span", { class: "note" }, note))))),
    el("tbody", {}, ...rows.map((row) =>
      el("tr", {}, el("th", { scope: "row" }, row.mode), ...columns.map(([key]) => cell(row, key)))))));
}

function chart(rows: EncodingRow[]) {
  const shown = rows.filter((row) => row.reconstruction_error !== null);
  return figure({
    name: "modes", title: "Error of each way of encoding",
    caption: "Filled: reconstruction error with the mode's own decoder. Ring: after least squares on the code's support. Diamond: distance of the code from the exact one. Further left is better.",
    draw(width) {
      const rowHeight = 30;
      const drawing = sheet(width, 60 + rowHeight * shown.length);
      const all = shown.flatMap((row) => [row.reconstruction_error, row.debiased_reconstruction_error, row.code_error]).filter((v): v is number => v !== null);
      const most = Math.max(0.1, Math.min(1.2, Math.max(...all, 0)));
      const left = Math.min(130, width * 0.32);
      const plot = linearPlot({ left, top: 10, width: width - left - 20, height: rowHeight * shown.length }, [0, most], [0, 1]);
      for (const v of ticks(0, most, width < 480 ? 4 : 8))
        drawing.append(svg("line", { x1: plot.x(v), x2: plot.x(v), y1: plot.top, y2: plot.top + plot.height, stroke: theme().line }));
      shown.forEach((row, i) => {
        const y = plot.top + (i + 0.5) * rowHeight;
        const at = (v: number): number => plot.x(Math.min(most, v));
        drawing.append(text(left - 10, y + 4, row.mode.length > 18 ? `${row.mode.slice(0, 17)}\u2026` : row.mode, "end", theme().ink, 13),
          svg("line", { x1: plot.left, x2: plot.left + plot.width, y1: y, y2: y, stroke: theme().line, "stroke-dasharray": "2 3" }));
        if (row.debiased_reconstruction_error !== null)
          drawing.append(svg("circle", { cx: at(row.debiased_reconstruction_error), cy: y, r: 5, fill: theme().card, stroke: theme().reconstruction, "stroke-width": 2 }));
        drawing.append(svg("circle", { class: "mode-error", cx: at(row.reconstruction_error!), cy: y, r: 5, fill: theme().reconstruction }));
        if (row.code_error !== null) {
          const x = at(row.code_error);
          drawing.append(svg("path", { d: `M${x - 6} ${y}L${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}Z`, fill: "none", stroke: theme().coding, "stroke-width": 2 }));
        }
      });
      xAxis(drawing, plot, ticks(0, most, width < 480 ? 4 : 8), "relative error");
      return drawing;
    },
  });
}

export function modesSection({ model }: Report): HTMLElement {
  const { encoding } = model;
  const head = el("h2", {}, "Ways of encoding");
  if (encoding.rows.length === 0)
    return el("section", { id: "modes" }, head, el("p", { class: "hint" }, "This model has no table of encoding modes."));
  const seen = encoding.unseen ? "that nothing was learned from" : encoding.held_out ? "on which the encoders were not fitted" : "on which the encoders were fitted too";
  return el("section", { id: "modes" }, head,
    el("p", { class: "hint" }, `Measured on ${count(encoding.n_measured)} samples ${seen}. u* is the exact code, E* its energy.`),
    table(encoding.rows), exactNote(encoding.rows), chart(encoding.rows).element);
}
