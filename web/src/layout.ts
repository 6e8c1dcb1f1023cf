// SPDX-License-Identifier: BSD-3-Clause
// Where the tiles of a mosaic are: sizes in pixels of the page.
import type { Shape } from "./shape";

export type Kind = "picture" | "strip" | "curve" | "bars";

export interface Layout {
  kind: Kind;
  columns: number;
  rows: number;
  stepX: number;  // from tile to tile
  stepY: number;
  width: number;
  height: number;
}

export const zooms = [0.25, 0.5, 1, 2, 3, 4, 6, 8, 12, 16];
const drawingSize = { width: 44, height: 22 };
const stripHeight = 6;

export function layout(kind: Kind, shape: Shape, n: number, zoom: number, room: number): Layout {
  if (kind === "strip") {
    const stepY = stripHeight * zoom;
    return { kind, columns: 1, rows: n, stepX: room, stepY, width: room, height: n * stepY };
  }
  const stepX = (kind === "picture" ? shape.width + 1 : drawingSize.width) * zoom;
  const stepY = (kind === "picture" ? shape.height + 1 : drawingSize.height) * zoom;
  const columns = Math.max(1, Math.min(n, Math.floor(room / stepX)));
  const rows = Math.ceil(n / columns);
  return { kind, columns, rows, stepX, stepY, width: columns * stepX, height: rows * stepY };
}

// The largest zoom with which all tiles are in sight at once; small tiles that are not may be scrolled.
export function bestZoom(kind: Kind, shape: Shape, n: number, room: number): number {
  const height = Math.max(320, Math.min(1.1 * room, 620));
  let best = kind === "picture" && shape.height > 64 ? zooms[0]! : 1;
  for (const zoom of zooms) {
    const { rows, stepX, stepY } = layout(kind, shape, n, zoom, room);
    if (rows * stepY <= height && (stepX <= room || kind === "strip") && zoom > best) best = zoom;
  }
  return best;
}

export function tileAt(place: Layout, n: number, x: number, y: number): number | null {
  const column = Math.floor(x / place.stepX);
  const index = Math.floor(y / place.stepY) * place.columns + column;
  return x < 0 || y < 0 || column >= place.columns || index >= n ? null : index;
}
