// SPDX-License-Identifier: BSD-3-Clause
// Who uses one atom: its samples, the histogram of their weights, and their classes where those are known.
import { decilePlaces, hasTexts } from "./atom_texts";
import { linearPlot, sheet, text, ticks, xAxis } from "./chart";
import { signColour } from "./colours";
import { el, svg } from "./dom";
import { count, percent, plural, signed } from "./format";
import type { Report, Tensors } from "./report";
import { theme } from "./theme";

const mostListed = 200;
const nBins = 24;

// How many weights lie in each of so many equal parts of their range, zero among its ends.
export function weightBins(weights: number[]): { low: number; high: number; counts: number[] } {
  const low = Math.min(0, ...weights);
  const high = Math.max(0, ...weights);
  const counts = new Array<number>(nBins).fill(0);
  for (const weight of weights) ++counts[Math.min(nBins - 1, Math.floor(((weight - low) / (high - low || 1)) * nBins))]!;
  return { low, high, counts };
}

function histogram(weights: number[]): SVGSVGElement {
  const width = 246;
  const { low, high, counts } = weightBins(weights);
  const drawing = sheet(width, 106);
  const plot = linearPlot({ left: 8, top: 14, width: width - 16, height: 48 }, [low, high || 1], [0, Math.max(1, ...counts)]);
  counts.forEach((value, i) => {
    const x = low + (i * (high - low)) / nBins;
    if (value > 0)
      drawing.append(svg("rect", { x: plot.x(x).toFixed(2), y: plot.y(value).toFixed(2), width: Math.max(1, plot.width / nBins - 1).toFixed(2),
        height: (plot.top + plot.height - plot.y(value)).toFixed(2), fill: signColour(x + (high - low) / (2 * nBins)) }));
  });
  xAxis(drawing, plot, ticks(low, high, 4), "weight");
  drawing.append(text(width - 8, 10, `${Math.max(...counts)} samples`, "end", theme().muted, 10));
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `Histogram of its ${count(weights.length)} weights, from ${signed(Math.min(...weights))} to ${signed(Math.max(...weights))}`);
  return drawing;
}

function classes(report: Report, samples: number[]): HTMLElement | null {
  const { labels } = report.data!;
  if (labels.length === 0) return null;
  const counted = (indices: Iterable<number>): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const i of indices) counts.set(labels[i]!, (counts.get(labels[i]!) ?? 0) + 1);
    return counts;
  };
  const all = counted(labels.keys());
  const rows = [...counted(samples)].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 12);
  const most = Math.max(...rows.map(([, n]) => n));
  return el("div", {}, el("h5", {}, "Classes of these samples"), el("ul", { class: "classes" }, ...rows.map(([label, n]) => {
    const bar = el("span", { class: "class-bar" });
    bar.style.width = `${(100 * n) / most}%`;
    return el("li", { title: `${percent(n, all.get(label)!)} of the ${plural(all.get(label)!, "sample")} of this class` },
      el("span", { class: "name" }, label), el("span", { class: "class-track" }, bar), el("span", { class: "value" }, percent(n, samples.length)));
  })));
}

// `picture` draws a sample that has a picture in the page.
export function atomUses(report: Report, tensors: Tensors, atom: number,
                         picture: (values: Float32Array, label: string) => SVGSVGElement): HTMLElement | null {
  const { data } = report;
  if (!data) return null;
  const { samples, weights } = data.uses[atom]!;
  if (samples.length === 0) return el("p", { class: "note" }, "None of the samples in this page uses it.");
  const pictures = tensors.bytes("pictures");
  const pictureOf = new Map(data.picture_samples.map((sample, i) => [sample, i]));
  const item = (sample: number, i: number): HTMLElement => {
    const name = data.names[sample]!;
    const row = pictures && pictureOf.has(sample) ? pictures.row(pictureOf.get(sample)!) : null;
    return el("li", { "data-sample": sample }, row && picture(Float32Array.from(row, (byte) => (byte - 128) / 127), name),
      el("span", { class: "name" }, name), el("span", { class: "value" }, signed(weights[i]!)));
  };
  const few = samples.slice(0, 4).map(item);
  const rest = samples.length > 4 ? el("details", { class: "all-uses" },
    el("summary", {}, `All ${count(Math.min(samples.length, mostListed))} samples${samples.length > mostListed ? ` of ${count(samples.length)}, strongest first` : ""}`)) : null;
  // Made when they are wanted: an atom is looked at for a moment while the mouse passes.
  rest?.addEventListener("toggle", () => {
    if (rest.open && rest.childElementCount === 1) rest.append(el("ul", { class: "users" }, ...samples.slice(0, mostListed).map(item)));
  });
  // From its strongest sample to its weakest: what it means when it is weak, too.
  const deciles = hasTexts(report) && samples.length >= 20 ? el("details", { class: "deciles" }, el("summary", {}, "From strong to weak"),
    el("ul", { class: "users texts" }, ...decilePlaces(samples.length).map((place) => item(samples[place]!, place)))) : null;
  return el("div", {}, el("h5", {}, "Samples that use it most"), el("ul", { class: "users" }, ...few), rest, deciles,
    el("h5", {}, "Its weights"), histogram(weights), classes(report, samples));
}
