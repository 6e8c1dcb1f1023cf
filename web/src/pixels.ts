// SPDX-License-Identifier: BSD-3-Clause
// Values as the pixels of a canvas, one each.
import { largest, table } from "./colours";

export function canvasOf(values: ArrayLike<number>, height: number, width: number, scale = largest(values)) {
  const canvas = document.createElement("canvas");
  paint(canvas, values, height, width, scale);
  return canvas;
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
