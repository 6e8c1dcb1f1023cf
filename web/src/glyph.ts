// SPDX-License-Identifier: BSD-3-Clause
// One atom, dual or sample as a part of an SVG figure: a picture, bars, or a curve over its features.
import { css, colourOf, largest, signColour } from "./colours";
import { svg } from "./dom";
import { canvasOf, condensed } from "./pixels";
import type { Shape } from "./shape";
import { theme } from "./theme";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

// What is above zero, then what is below.
export type SignedPaths = [positive: string, negative: string];

// The box of a sample that is to be `height` high.
export function glyphSize(shape: Shape, height: number): { width: number; height: number } {
  if (!shape.picture) return { width: height * 1.6, height };
  return { width: Math.max(8, Math.min(3 * height, (height * shape.width) / shape.height)), height };
}

export function curvePaths(values: ArrayLike<number>, box: Box, scale: number): SignedPaths {
  const shown = condensed(values, 2000);
  const n = shown.length;
  const zero = box.y + box.height / 2;
  const unit = scale > 0 ? (box.height / 2 - 1) / scale : 0;
  const at = (j: number): number => box.x + (n > 1 ? (j / (n - 1)) * box.width : box.width / 2);
  const place = (j: number, v: number): string => `${at(j).toFixed(2)} ${(zero - v * unit).toFixed(2)}`;
  const paths: SignedPaths = ["", ""];
  let side = -1;
  for (let j = 0; j < n; ++j) {
    const v = shown[j]!;
    const now = v < 0 ? 1 : 0;
    if (side !== now) {
      // The line changes its colour where it crosses zero.
      const before = shown[j - 1];
      const crossing = before === undefined ? null : place(j - 1 + before / (before - v), 0);
      if (crossing) paths[side as 0 | 1] += `L${crossing}`;
      paths[now] += crossing ? `M${crossing}L${place(j, v)}` : `M${place(j, v)}`;
      side = now;
    } else {
      paths[now] += `L${place(j, v)}`;
    }
  }
  return paths;
}

export function barPaths(values: ArrayLike<number>, box: Box, scale: number): SignedPaths {
  const shown = condensed(values, Math.max(1, Math.floor(box.width)));
  const zero = box.y + box.height / 2;
  const unit = scale > 0 ? (box.height / 2 - 1) / scale : 0;
  const step = box.width / shown.length;
  const width = step > 3 ? step - Math.min(3, 0.2 * step) : step;
  const paths: SignedPaths = ["", ""];
  for (let j = 0; j < shown.length; ++j) {
    const v = shown[j]!;
    if (v !== 0) paths[v < 0 ? 1 : 0] += `M${(box.x + j * step + (step - width) / 2).toFixed(2)} ${zero}v${(-v * unit).toFixed(2)}h${width.toFixed(2)}V${zero}Z`;
  }
  return paths;
}

export function glyph(shape: Shape, values: ArrayLike<number>, box: Box, scale = largest(values)): SVGElement {
  const { x, y, width, height } = box;
  const border = svg("rect", { x, y, width, height, fill: "none", stroke: theme().line });
  if (shape.picture) {
    const href = canvasOf(values, shape, scale).toDataURL("image/png");
    return svg("g", {}, svg("rect", { x, y, width, height, fill: css(colourOf(0)) }),
      svg("image", { x, y, width, height, href, preserveAspectRatio: "none", "image-rendering": "pixelated" }), border);
  }
  const zero = y + height / 2;
  const paths = (shape.table ? barPaths : curvePaths)(values, box, scale);
  return svg("g", {}, border, svg("line", { x1: x, x2: x + width, y1: zero, y2: zero, stroke: theme().line }),
    ...paths.map((d, i) => {
      const colour = signColour(i === 0 ? 1 : -1);
      return svg("path", { d, ...(shape.table ? { fill: colour } : { fill: "none", stroke: colour, "stroke-width": 1.2 }) });
    }));
}
