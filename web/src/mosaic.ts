// SPDX-License-Identifier: BSD-3-Clause
// All atoms, or all filters, on one canvas. Pictures are painted one value a pixel and enlarged by the browser.
import { largest, signColour, table } from "./colours";
import { barPaths, curvePaths } from "./glyph";
import type { Layout } from "./layout";
import { colourPixels, condensed } from "./pixels";
import type { Table } from "./report";
import type { Shape } from "./shape";
import { theme } from "./theme";

const mostStripColumns = 4096;

function paintPictures(canvas: HTMLCanvasElement, atoms: Table<Float32Array>, order: number[], shape: Shape, place: Layout) {
  const stepX = shape.width + 1;
  canvas.width = place.columns * stepX;
  canvas.height = place.rows * (shape.height + 1);
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = table();
  order.forEach((atom, i) => {
    const values = atoms.row(atom);
    const most = largest(values);
    const factor = most > 0 ? 255 / most : 0;
    const colour = shape.channels === 1 ? null : colourPixels(values, most);
    const top = Math.floor(i / place.columns) * (shape.height + 1);
    const left = (i % place.columns) * stepX;
    for (let y = 0; y < shape.height; ++y) {
      const start = (top + y) * canvas.width + left;
      for (let x = 0; x < shape.width; ++x)
        pixels[start + x] = colour ? colour(y * shape.width + x) : colours[255 + Math.round(values[y * shape.width + x]! * factor)]!;
    }
  });
  context.putImageData(image, 0, 0);
}

// Rows of a heat map; of very many features, the largest value in each of 4096 groups.
function paintStrips(canvas: HTMLCanvasElement, atoms: Table<Float32Array>, order: number[]): void {
  const width = Math.min(atoms.cols, mostStripColumns);
  canvas.width = width;
  canvas.height = order.length;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(width, order.length);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = table();
  order.forEach((atom, i) => {
    const values = condensed(atoms.row(atom), width);
    const most = largest(values);
    const factor = most > 0 ? 255 / most : 0;
    for (let x = 0; x < width; ++x) pixels[i * width + x] = colours[255 + Math.round(values[x]! * factor)]!;
  });
  context.putImageData(image, 0, 0);
}

function paintDrawings(canvas: HTMLCanvasElement, atoms: Table<Float32Array>, order: number[], place: Layout): void {
  const sharp = Math.min(devicePixelRatio || 1, 16_000 / place.height, 2);
  canvas.width = Math.ceil(place.width * sharp);
  canvas.height = Math.ceil(place.height * sharp);
  const context = canvas.getContext("2d")!;
  context.scale(sharp, sharp);
  order.forEach((atom, i) => {
    const values = atoms.row(atom);
    const box = {
      x: (i % place.columns) * place.stepX + 2, y: Math.floor(i / place.columns) * place.stepY + 2,
      width: place.stepX - 4, height: place.stepY - 4,
    };
    context.strokeStyle = theme().line;
    context.strokeRect(box.x, box.y, box.width, box.height);
    const paths = (place.kind === "bars" ? barPaths : curvePaths)(values, box, largest(values)).map((path) => new Path2D(path));
    paths.forEach((path, side) => {
      context.fillStyle = context.strokeStyle = signColour(side === 0 ? 1 : -1);
      if (place.kind === "bars") context.fill(path);
      else context.stroke(path);
    });
  });
}

export function paintMosaic(canvas: HTMLCanvasElement, atoms: Table<Float32Array>, order: number[], shape: Shape,
                            place: Layout): void {
  if (place.kind === "picture") paintPictures(canvas, atoms, order, shape, place);
  else if (place.kind === "strip") paintStrips(canvas, atoms, order);
  else paintDrawings(canvas, atoms, order, place);
  canvas.style.width = `${place.width}px`;
  canvas.style.height = `${place.height}px`;
}
