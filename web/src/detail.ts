// SPDX-License-Identifier: BSD-3-Clause
// One atom by itself: its picture, its dual, its numbers, the samples that use it most.
import { atomUses } from "./atom_uses";
import { drawBars, shownFeatures } from "./bars";
import { sheet } from "./chart";
import { button, el } from "./dom";
import { saveText } from "./export";
import { count, number, percent, signed } from "./format";
import { glyph, glyphSize } from "./glyph";
import { nearest } from "./nearest";
import { knowsUsage, usage, usageTotal } from "./order";
import type { Report, Table, Tensors } from "./report";
import type { Shape } from "./shape";

function drawing(shape: Shape, values: ArrayLike<number>, height: number, label: string): SVGSVGElement {
  const box = glyphSize(shape, height);
  const result = sheet(box.width + 2, height + 2);
  if (label) {
    result.setAttribute("role", "img");
    result.setAttribute("aria-label", label);
  } else {
    result.setAttribute("aria-hidden", "true");  // what stands beside it says the same
  }
  result.append(glyph(shape, values, { x: 1, y: 1, ...box }));
  return result;
}

function pair(shape: Shape, atom: number, dictionary: Table<Float32Array>, dual: Table<Float32Array>): HTMLElement {
  const one = (table: Table<Float32Array>, label: string) =>
    el("div", {}, drawing(shape, table.row(atom), shape.picture ? 104 : 64, `${label} ${atom}`), el("span", { class: "note" }, label));
  return el("div", { class: "pair" }, one(dictionary, "atom"), one(dual, "dual"));
}

function numbers(report: Report, atom: number): HTMLElement {
  const used = usage(report)[atom]!;
  const rows: [string, string][] = [
    ["used by", knowsUsage(report) ? `${count(used)} of ${count(usageTotal(report))} (${percent(used, usageTotal(report))})` : "unknown"],
    ["norm", number(report.atoms.norm[atom])],
    ["norm of dual", number(report.atoms.dual_norm[atom])],
    ["cos with dual", number(report.atoms.agreement[atom])],
    ["coherence", `${number(report.atoms.coherence[atom])} with atom ${report.atoms.nearest[atom]}`]];
  return el("dl", { class: "numbers" }, ...rows.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));
}

function features(shape: Shape, atom: Float32Array, dual: Float32Array): HTMLElement | null {
  if (shape.picture) return null;
  const rows = shownFeatures(atom, shape.table ? 12 : 5);
  const bars = drawBars(246, shape.names, [{ label: "atom", values: atom }, { label: "dual", values: dual }], rows);
  bars.setAttribute("role", "img");
  bars.setAttribute("aria-label", rows.map((j) => `${shape.names[j]!} ${signed(atom[j]!)}`).join(", "));
  return el("div", { class: "features" }, rows.length < atom.length ? el("h5", {}, `Its ${rows.length} largest features`) : null, bars);
}

function neighbours(report: Report, shape: Shape, dictionary: Table<Float32Array>, atom: number, jump: (atom: number) => void): HTMLElement | null {
  const list = nearest(dictionary, report.atoms.norm, atom, 4);
  if (list.length === 0) return null;
  return el("div", {}, el("h5", {}, "Nearest atoms"), el("ul", { class: "users neighbours" }, ...list.map(({ atom: other, cosine }) =>
    el("li", {}, button("", () => jump(other), { class: "neighbour" },
      drawing(shape, dictionary.row(other), 40, ""), el("span", { class: "name" }, `atom ${other}`), el("span", { class: "value" }, `cosine ${signed(cosine)}`))))));
}

// Its name, and the values of atom and dual, one feature a line.
function asCsv(shape: Shape, atom: number, dictionary: Float32Array, dual: Float32Array): string {
  const quoted = (name: string): string => (/[",\n\r]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);
  return `feature,atom ${atom},dual ${atom}\n${Array.from(dictionary, (v, j) => `${quoted(shape.names[j]!)},${v},${dual[j]!}`).join("\n")}\n`;
}

function copyButton(csv: () => string, atom: number): HTMLElement {
  const told = el("span", { class: "note", role: "status" });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(csv());
      told.textContent = "copied";
    } catch {  // a browser that gives pages from files no clipboard
      saveText(`dualdict-atom-${atom}.csv`, csv());
    }
  };
  return el("div", { class: "buttons" }, button("Copy as CSV", () => void copy(), { class: "quiet" }), told);
}

export function detail(report: Report, tensors: Tensors, shape: Shape, atom: number, jump: (atom: number) => void): HTMLElement[] {
  const dictionary = tensors.floats("dictionary")!;
  const dual = tensors.floats("dual")!;
  return [
    el("h4", {}, `Atom ${atom}`, knowsUsage(report) && usage(report)[atom] === 0 ? el("span", { class: "badge" }, "dead") : null),
    shape.table ? features(shape, dictionary.row(atom), dual.row(atom)) : pair(shape, atom, dictionary, dual), numbers(report, atom),
    copyButton(() => asCsv(shape, atom, dictionary.row(atom), dual.row(atom)), atom),
    shape.table ? null : features(shape, dictionary.row(atom), dual.row(atom)),
    neighbours(report, shape, dictionary, atom, jump),
    atomUses(report, tensors, atom, (values, label) => drawing(shape, values, 52, label)),
  ].filter((element): element is HTMLElement => element !== null);
}

// For a screen reader, in one breath.
export function describe(report: Report, atom: number): string {
  const use = knowsUsage(report) ? `, used by ${count(usage(report)[atom]!)} samples` : "";
  return `atom ${atom}${use}, norm ${number(report.atoms.norm[atom])}, coherence ${number(report.atoms.coherence[atom])}`;
}

