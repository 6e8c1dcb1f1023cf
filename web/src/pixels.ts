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
