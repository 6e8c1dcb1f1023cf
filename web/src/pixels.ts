// SPDX-License-Identifier: BSD-3-Clause
// Values as the pixels of a canvas, one each.
import { largest, table } from "./colours";
import type { Shape } from "./shape";

export function canvasOf(values: ArrayLike<number>, shape: Shape, scale = largest(values)) {
  const canvas = document.createElement("canvas");
  if (shape.channels === 1) paint(canvas, values, shape.height, shape.width, scale);
  else paintColour(canvas, values, shape, scale);
  return canvas;
}

// The pixel of a colour picture, its channels as they are: black is zero where nothing lies below it, else mid-grey is.
export function colourPixels(values: ArrayLike<number>, scale: number): (pixel: number) => number {
  let least = 0;
  for (let j = 0; j < values.length; ++j) least = Math.min(least, values[j]!);
  const zero = least < 0 ? 127.5 : 0;
  const factor = scale > 0 ? (255 - zero) / scale : 0;
  const byte = (v: number): number => Math.max(0, Math.min(255, Math.round(zero + v * factor)));
  return (pixel) =>
    ((255 << 24) | (byte(values[3 * pixel + 2]!) << 16) | (byte(values[3 * pixel + 1]!) << 8) | byte(values[3 * pixel]!)) >>> 0;
}

function paintColour(canvas: HTMLCanvasElement, values: ArrayLike<number>, shape: Shape, scale: number): void {
  canvas.width = shape.width;
  canvas.height = shape.height;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(shape.width, shape.height);
  const pixels = new Uint32Array(image.data.buffer);
  const pixel = colourPixels(values, scale);
  for (let i = 0; i < pixels.length; ++i) pixels[i] = pixel(i);
  context.putImageData(image, 0, 0);
}

export function paint(canvas: HTMLCanvasElement, values: ArrayLike<number>, height: number, width: number,
                      scale: number): void {
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = table();
  const factor = scale > 0 ? 255 / scale : 0;
  for (let i = 0; i < pixels.length; ++i)
    pixels[i] = colours[255 + Math.max(-255, Math.min(255, Math.round(values[i]! * factor)))]!;
  context.putImageData(image, 0, 0);
}

// At most so many values: of neighbours that have to share a place, the one with the largest size.
export function condensed(values: ArrayLike<number>, most: number): ArrayLike<number> {
  const n = values.length;
  if (n <= most) return values;
  const shown = new Float32Array(most);
  for (let x = 0; x < most; ++x) {
    const end = Math.ceil(((x + 1) * n) / most);
    for (let j = Math.floor((x * n) / most); j < end; ++j) if (Math.abs(values[j]!) > Math.abs(shown[x]!)) shown[x] = values[j]!;
  }
  return shown;
}
