// SPDX-License-Identifier: BSD-3-Clause
// How the fit went: energies, certificates and counts against iterations or time.
import uPlot from "uplot";
import { el, tabs } from "./dom";
import { figure } from "./figure";
import { number } from "./format";
import { type Line, lineChart } from "./line_chart";
import type { Report, TraceColumn } from "./report";
import { type Theme, onTheme, theme } from "./theme";

interface Chart {
  name: string;
  title: string;
  caption: string;
  log: boolean;
  lines: [TraceColumn, string, keyof Theme][];
}

const charts: Chart[] = [
  { name: "energies", title: "E and its terms", log: true,
    caption: "On a logarithmic scale, after each iteration. A jump up is a replaced atom.",
    lines: [["total", "E", "ink"], ["reconstruction", "reconstruction", "reconstruction"], ["coding", "coding", "coding"],
      ["l1", "l1", "l1"], ["l2", "l2", "l2"]] },
  { name: "changes", title: "Gap and movement", log: true,
    caption: "The relative duality gap of the codes, and how far D and C moved in the iteration.",
    lines: [["duality_gap", "gap", "ink"], ["dictionary_change", "change of D", "reconstruction"], ["dual_change", "change of C", "coding"]] },
  { name: "counts", title: "Nonzeros and atoms", log: false,
    caption: "Nonzeros per code, and how many atoms nobody used or were replaced.",
    lines: [["nonzeros_per_code", "nonzeros", "ink"], ["dead_atoms", "dead", "warn"], ["replaced_atoms", "replaced", "l2"]] },
];

type Against = "iteration" | "seconds";
// There is no iteration two and a half.
const wholeSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000];
const xLabel = (against: Against): string => (against === "iteration" ? "iteration" : "seconds");

// A logarithm has no place for zeros, and a term that is zero throughout has no line.
function linesOf(trace: NonNullable<Report["trace"]>, chart: Chart): Line[] {
  return chart.lines
    .filter(([column]) => !chart.log || trace[column].some((v) => v > 0))
    .map(([column, label, colour]) => ({
      label, colour: theme()[colour] as string, values: trace[column].map((v) => (chart.log && !(v > 0) ? null : v)),
    }));
}

function plot(place: HTMLElement, x: number[], lines: Line[], chart: Chart, against: Against): uPlot {
  const axis = { stroke: theme().muted, grid: { stroke: theme().line, width: 1 }, ticks: { stroke: theme().line, width: 1 }, font: "12px system-ui, sans-serif" };
  const value = (_: uPlot, v: number | null): string => (v === null ? "\u2013" : number(v, 4));
  return new uPlot({
    width: place.clientWidth, height: 260,
    scales: { x: { time: false }, y: chart.log ? { distr: 3 } : { range: (_u, _min, max) => [0, max > 0 ? 1.1 * max : 1] } },
    axes: [{ ...axis, label: xLabel(against), labelSize: 20, labelFont: axis.font, ...(against === "iteration" ? { incrs: wholeSteps } : {}) },
      { ...axis, size: 58, values: (_u, splits) => splits.map((v) => (v === null ? "" : number(v, 2))) }],
    series: [{ label: xLabel(against), value }, ...lines.map((line) => ({
      label: line.label, stroke: line.colour, width: line.label === "E" ? 2.5 : 1.5, value,
      points: { show: x.length < 40, size: 4 } }))],
    cursor: { drag: { x: true, y: false } },
  }, [x, ...lines.map((line) => line.values)] as uPlot.AlignedData, place);
}

function curve(trace: NonNullable<Report["trace"]>, chart: Chart, against: () => Against) {
  const show = el("div", { class: "drawing curve" });
  const result = figure({
    name: chart.name, title: chart.title, caption: chart.caption, show,
    draw: (width) => lineChart(width, trace[against()], linesOf(trace, chart), chart.log, xLabel(against())),
  });
  let shown: uPlot | null = null;
  let width = 0;
  const redraw = (): void => {
    if (show.clientWidth <= 0) return;
    shown?.destroy();
    shown = plot(show, trace[against()], linesOf(trace, chart), chart, against());
  };
  new ResizeObserver(() => {
    if (show.clientWidth === width) return;
    width = show.clientWidth;
    if (shown) shown.setSize({ width, height: 260 });
    else redraw();
  }).observe(show);
  onTheme(redraw);
  return { element: result.element, redraw };
}

export function curvesSection(report: Report): HTMLElement {
  const head = el("h2", {}, "How the fit went");
  const { trace } = report;
  if (!trace)
    return el("section", { id: "curves" }, head, el("p", { class: "hint" },
      "No trace was given. Learn with ", el("code", {}, "--trace run.jsonl"), " and make the page with ",
      el("code", {}, "dualdict report MODEL --trace run.jsonl"), " to see the curves here."));
  let against: Against = "iteration";
  const all = charts.map((chart) => curve(trace, chart, () => against));
  const choice = tabs("against", "Against", [["iteration", "iteration"], ["seconds", "time"]], against, (value) => {
    against = value as Against;
    for (const one of all) one.redraw();
  });
  return el("section", { id: "curves" }, el("div", { class: "section-head" }, head, choice),
    el("p", { class: "hint" }, "Drag across a chart to zoom in, double click to see all of it again."),
    el("div", { class: "thirds" }, ...all.map((one) => one.element)));
}
