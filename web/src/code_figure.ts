// SPDX-License-Identifier: BSD-3-Clause
// A code: every weight as a stem, and the strongest atoms with theirs.
import { sheet, text } from "./chart";
import { svg } from "./dom";
import { strongest } from "./encode";
import { signed } from "./format";
import { glyph, glyphSize } from "./glyph";
import { largest, signColour } from "./colours";
import type { Table } from "./report";
import type { Shape } from "./shape";
import { theme } from "./theme";

export function drawCode(width: number, shape: Shape, dictionary: Table<Float32Array>, code: Float32Array): SVGSVGElement {
  const tile = glyphSize(shape, shape.picture ? 52 : 40);
  const step = tile.width + 12;
  const perRow = Math.max(1, Math.floor((width + 12) / step));
  const atoms = strongest(code, 2 * perRow);
  const stems = 96;
  const rows = Math.max(1, Math.ceil(atoms.length / perRow));
  const drawing = sheet(width, stems + 40 + rows * (tile.height + 38));
  const most = largest(code) || 1;
  const lowest = Math.max(0, -Math.min(0, ...code)) / most;  // as a share of the largest
  const unit = stems / (1 + lowest);
  const zero = 4 + unit;
  drawing.append(svg("line", { x1: 0, x2: width, y1: zero, y2: zero, stroke: theme().muted }));
  const at = (i: number): number => ((i + 0.5) * width) / code.length;
  const stem = Math.max(0.75, Math.min(3, (0.6 * width) / code.length));
  for (const side of [1, -1]) {
    let path = "";
    code.forEach((u, i) => { if (side * u > 0) path += `M${at(i).toFixed(2)} ${zero}V${(zero - (u / most) * unit).toFixed(2)}`; });
    drawing.append(svg("path", { d: path, stroke: signColour(side), "stroke-width": stem }));
  }
  drawing.append(text(0, stems + 24, "all weights, atom 0 at the left; below, the strongest"));
  atoms.forEach((atom, i) => {
    const left = (i % perRow) * step;
    const top = stems + 36 + Math.floor(i / perRow) * (tile.height + 38);
    const group = svg("g", { class: "strong", "data-atom": atom }, glyph(shape, dictionary.row(atom), { x: left + 1, y: top, ...tile }),
      text(left + tile.width / 2, top + tile.height + 14, signed(code[atom]!), "middle", signColour(code[atom]!)),
      text(left + tile.width / 2, top + tile.height + 27, `#${atom}`, "middle", theme().muted, 10));
    drawing.append(group);
  });
  return drawing;
}
