// SPDX-License-Identifier: BSD-3-Clause
// One atom by itself: its picture, its dual, its numbers, the samples that use it most.
import { drawBars, shownFeatures } from "./bars";
import { sheet } from "./chart";
import { el } from "./dom";
import { count, number, percent, signed } from "./format";
import { glyph, glyphSize } from "./glyph";
import { knowsUsage, usage, usageTotal } from "./order";
import type { Report, Table, Tensors } from "./report";
import type { Shape } from "./shape";

function drawing(shape: Shape, values: ArrayLike<number>, height: number, label: string): SVGSVGElement {
  const box = glyphSize(shape, height);
  const result = sheet(box.width + 2, height + 2);
  result.setAttribute("role", "img");
  result.setAttribute("aria-label", label);
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

function users(report: Report, tensors: Tensors, shape: Shape, atom: number): HTMLElement | null {
  const pictures = tensors.bytes("pictures");
  const list = report.data?.users[atom];
  if (!report.data || !pictures || !list) return null;
  if (list.length === 0) return el("p", { class: "note" }, "None of the samples in this page uses it.");
  return el("div", {}, el("h5", {}, "Samples that use it most"), el("ul", { class: "users" }, ...list.map(([picture, weight]) => {
    const values = Float32Array.from(pictures.row(picture), (byte) => (byte - 128) / 127);
    const name = report.data!.picture_names[picture]!;
    return el("li", {}, drawing(shape, values, 52, name), el("span", { class: "name" }, name), el("span", { class: "value" }, signed(weight)));
  })));
}

export function detail(report: Report, tensors: Tensors, shape: Shape, atom: number): HTMLElement[] {
  const dictionary = tensors.floats("dictionary")!;
  const dual = tensors.floats("dual")!;
  return [
    el("h4", {}, `Atom ${atom}`, knowsUsage(report) && usage(report)[atom] === 0 ? el("span", { class: "badge" }, "dead") : null),
    shape.table ? features(shape, dictionary.row(atom), dual.row(atom)) : pair(shape, atom, dictionary, dual), numbers(report, atom),
    shape.table ? null : features(shape, dictionary.row(atom), dual.row(atom)), users(report, tensors, shape, atom),
  ].filter((element): element is HTMLElement => element !== null);
}

// For a screen reader, in one breath.
export function describe(report: Report, atom: number): string {
  const use = knowsUsage(report) ? `, used by ${count(usage(report)[atom]!)} samples` : "";
  return `atom ${atom}${use}, norm ${number(report.atoms.norm[atom])}, coherence ${number(report.atoms.coherence[atom])}`;
}

