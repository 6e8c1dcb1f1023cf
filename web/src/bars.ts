// SPDX-License-Identifier: BSD-3-Clause
// Rows of a table as named bars: a line for each feature, a column for each row that is shown.
import { sheet, text } from "./chart";
import { largest, signColour } from "./colours";
import { svg } from "./dom";
import { signed } from "./format";
import { theme } from "./theme";

export interface BarColumn {
  label: string;
  values: ArrayLike<number>;
  scale?: number;  // of the longest bar; the column's own largest value when not given
}

const rowHeight = 18;
const head = 20;

// The largest of the first column, or all in their order when there are no more than so many.
export function shownFeatures(values: ArrayLike<number>, most: number): number[] {
  const all = Array.from({ length: values.length }, (_, j) => j);
  return all.length <= most ? all : all.sort((a, b) => Math.abs(values[b]!) - Math.abs(values[a]!)).slice(0, most);
}

export const barsHeight = (rows: number): number => head + rows * rowHeight + 2;

function cut(name: string, room: number): string {
  const most = Math.max(3, Math.floor(room / 6.6));
  return name.length > most ? `${name.slice(0, most - 1)}\u2026` : name;
}

export function drawBars(width: number, names: string[], columns: BarColumn[], rows: number[]): SVGSVGElement {
  const drawing = sheet(width, barsHeight(rows.length));
  const left = Math.min(150, 0.34 * width);
  const step = (width - left) / columns.length;
  rows.forEach((j, i) => drawing.append(svg("g", { class: "feature" }, svg("title", {}, names[j]!),
    text(0, head + i * rowHeight + 13, cut(names[j]!, left - 6), "start", theme().ink))));
  columns.forEach(({ label, values, scale }, c) => {
    const room = step - 10;
    const zero = left + c * step + 10 + room / 2;
    const unit = room / 2 / (scale ?? (largest(values) || 1));
    const top = head + rows.length * rowHeight;
    drawing.append(text(zero, 12, cut(label, room), "middle"), svg("line", { x1: zero, x2: zero, y1: head, y2: top, stroke: theme().muted }));
    rows.forEach((j, i) => {
      const v = values[j]!;
      drawing.append(svg("rect", { class: "bar", "data-feature": j, x: Math.min(zero, zero + v * unit), y: head + i * rowHeight + 3, height: rowHeight - 6,
        width: Math.abs(v * unit), fill: signColour(v) }, svg("title", {}, `${names[j]!}: ${signed(v, 4)}`)));
    });
  });
  return drawing;
}
