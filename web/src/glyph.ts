// SPDX-License-Identifier: BSD-3-Clause
// One atom, filter or sample as a part of an SVG figure: a picture, or a curve over its features.
import { css, colourOf, largest } from "./colours";
import { svg } from "./dom";
import { canvasOf } from "./pixels";
import type { Shape } from "./shape";
import { theme } from "./theme";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

// The box of a sample that is to be `height` high.
export function glyphSize(shape: Shape, height: number): { width: number; height: number } {
  if (!shape.picture) return { width: height * 1.6, height };
  return { width: Math.max(8, Math.min(3 * height, (height * shape.width) / shape.height)), height };
}

export function curvePath(values: ArrayLike<number>, box: Box, scale: number): string {
  const n = values.length;
  const step = Math.max(1, Math.floor(n / 2000));
  let path = "";
  for (let j = 0; j < n; j += step) {
    const x = box.x + (n > 1 ? (j / (n - 1)) * box.width : box.width / 2);
    const y = box.y + box.height / 2 - (scale > 0 ? values[j]! / scale : 0) * (box.height / 2 - 1);
    path += `${path === "" ? "M" : "L"}${x.toFixed(2)} ${y.toFixed(2)}`;
  }
  return path;
}

export function glyph(shape: Shape, values: ArrayLike<number>, box: Box, scale = largest(values)): SVGElement {
  const { x, y, width, height } = box;
  const frame = svg("rect", { x, y, width, height, fill: shape.picture ? css(colourOf(0)) : "none", stroke: theme().line });
  if (shape.picture) {
    const href = canvasOf(values, shape.height, shape.width, scale).toDataURL("image/png");
    const image = svg("image", { x, y, width, height, href, preserveAspectRatio: "none", "image-rendering": "pixelated" });
    return svg("g", {}, image, svg("rect", { x, y, width, height, fill: "none", stroke: theme().line }));
  }
  const zero = y + height / 2;
  return svg("g", {}, frame,
    svg("line", { x1: x, x2: x + width, y1: zero, y2: zero, stroke: theme().line }),
    svg("path", { d: curvePath(values, box, scale), fill: "none", stroke: theme().accent, "stroke-width": 1.2 }));
}
