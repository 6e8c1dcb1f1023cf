// SPDX-License-Identifier: BSD-3-Clause
// One sample as the sum of its atoms: each drawn with its weight, and below it the sum so far.
import { hasTexts, textsOf } from "./atom_texts";
import { barsHeight, drawBars, shownFeatures } from "./bars";
import { largest, signColour } from "./colours";
import { sheet, text } from "./chart";
import { choice, el, svg } from "./dom";
import { type Coder, type Mode, nonzeros, relativeError, strongest } from "./encode";
import { figure } from "./figure";
import { number, signed } from "./format";
import { glyph, glyphSize } from "./glyph";
import type { Report, Tensors } from "./report";
import type { Shape } from "./shape";
import { theme } from "./theme";

type Way = Mode | "exact";

export interface Terms {
  x: Float32Array;
  code: Float32Array;
  way: Way;
}

const mostTerms = 24;

interface Part {
  label: string;
  values: Float32Array;
}

// The sample = its sum of atoms + what is left; of a table, all three beside each other for every feature.
function equation(width: number, shape: Shape, parts: Part[], scale: number): { elements: SVGElement[]; height: number } {
  if (shape.table) {
    const rows = shownFeatures(parts[0]!.values, 16);
    return { elements: [drawBars(Math.min(width, 820), shape.names, parts.map((part) => ({ ...part, scale })), rows)], height: barsHeight(rows.length) };
  }
  const whole = glyphSize(shape, shape.picture ? 128 : 84);
  const fit = Math.min(1, (width - 40) / (3 * whole.width));
  const big = { width: whole.width * fit, height: whole.height * fit };
  const gap = Math.min(34, (width - 3 * big.width - 4) / 2);
  const elements = parts.flatMap(({ label, values }, i) => {
    const left = i * (big.width + gap);
    return [glyph(shape, values, { x: left + 1, y: 1, ...big }, scale), text(left + 1, big.height + 18, label, "start", theme().ink, big.width < 100 ? 11 : 13),
      ...(i > 0 ? [text(left - gap / 2, big.height / 2 + 6, i === 1 ? "=" : "+", "middle", theme().muted, 18)] : [])];
  });
  return { elements, height: big.height + 20 };
}

export function drawSum(width: number, coder: Coder, shape: Shape, { x, code, way }: Terms): SVGSVGElement {
  const atoms = strongest(code, mostTerms);
  const total = coder.decode(way, code);
  const scale = Math.max(largest(x), largest(total));
  const tile = glyphSize(shape, (shape.picture ? 56 : 44) * (atoms.length <= 10 && width > 600 ? 1.35 : 1));
  const head = equation(width, shape, [{ label: "the sample", values: x }, { label: "its sum of atoms", values: total },
    { label: "what is left", values: x.map((v, j) => v - total[j]!) }], scale);
  const step = tile.width + 14;
  const perRow = Math.max(1, Math.floor((width + 14) / step));
  const rowHeight = 2 * tile.height + 40;
  const top = head.height + 24;
  const drawing = sheet(width, top + 6 + rowHeight * Math.max(1, Math.ceil(atoms.length / perRow)));
  drawing.append(...head.elements, text(0, top + 4, "weight, atom times its weight, and the sum so far:"));
  const sum = coder.origin();
  const used = nonzeros(code);
  atoms.forEach((atom, i) => {
    const row = coder.decoderRow(way, atom);
    const part = Float32Array.from(row, (v) => v * code[atom]!);
    for (let j = 0; j < sum.length; ++j) sum[j]! += part[j]!;
    const left = (i % perRow) * step;
    const y = top + 20 + Math.floor(i / perRow) * rowHeight;
    const last = i === atoms.length - 1 && used > atoms.length;
    const group = svg("g", { class: "term", "data-atom": atom, "data-weight": code[atom]! },
      text(left + tile.width / 2, y + 8, signed(code[atom]!), "middle", signColour(code[atom]!)),
      glyph(shape, part, { x: left + 1, y: y + 14, ...tile }, scale),
      glyph(shape, sum, { x: left + 1, y: y + tile.height + 18, ...tile }, scale));
    group.append(svg("title", {}, `atom ${atom}, weight ${number(code[atom]!, 4)}${last ? `, and ${used - atoms.length} more` : ""}`));
    drawing.append(group);
  });
  return drawing;
}

// The row in words: its atoms with their weights, each with what its strongest samples say.
function explained(report: Report, code: Float32Array): HTMLElement[] {
  return strongest(code, mostTerms).map((atom) => el("li", { "data-atom": atom },
    el("span", { class: "value" }, signed(code[atom]!)), " ", el("a", { href: `#atom=${atom}` }, `atom ${atom}`), " ",
    el("span", { class: "name" }, textsOf(report, atom, 3).join(" \u00b7 ") || "no sample of this page uses it")));
}

export function sumSection(report: Report, tensors: Tensors, shape: Shape, coder: () => Coder) {
  const gallery = tensors.floats("gallery");
  const { data } = report;
  const head = el("h2", {}, "One sample, atom by atom");
  if (!data || !gallery || gallery.rows === 0)
    return { element: el("section", { id: "sum" }, head, el("p", { class: "hint" }, "Give samples with ", el("code", {}, "--data"), " to see them as sums of their atoms.")), ready: () => {}, redraw: () => {} };
  let sample = 0;
  let way: Way = "exact";
  const terms = (): Terms => {
    const { values: x } = coder().prepare(gallery.row(sample));
    if (way !== "exact") return { x, way, code: coder().encode(way, x) };
    const code = new Float32Array(report.model.shape.n_atoms);
    const exact = data.gallery.codes[sample]!;
    exact.atoms.forEach((atom, i) => void (code[atom] = exact.weights[i]!));
    return { x, way, code };
  };
  const change = (): void => { result.redraw(); say(); };
  const samples = choice("Sample", data.gallery.names.map((name, i) => [String(i), name]), "0", (value) => { sample = Number(value); change(); });
  const ways = choice("Code", [["exact", "exact"]], "exact", (value) => { way = value as Way; change(); });
  const result = figure({
    name: "sum", title: "A sample as the sum of its atoms", controls: [samples.element, ways.element],
    draw: (width) => drawSum(width, coder(), shape, terms()),
  });
  const texts = hasTexts(report) ? el("ol", { class: "explained" }) : null;
  const say = (): void => {
    const { x, code } = terms();
    texts?.replaceChildren(...explained(report, code));
    const used = nonzeros(code);
    const error = relativeError(x, coder().decode(way, code));
    result.setCaption(`${used} of ${code.length} atoms, relative error ${number(error)}.` + (used > mostTerms ? ` The ${mostTerms} strongest are drawn; the sum at the top has all.` : ""));
  };
  say();
  return {
    element: el("section", { id: "sum" }, head, result.element, texts),
    redraw: result.redraw,
    // The other modes, once their tensors are there.
    ready: () => {
      for (const mode of coder().modes) ways.select.append(el("option", { value: mode }, mode));
    },
  };
}
