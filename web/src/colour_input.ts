// SPDX-License-Identifier: BSD-3-Clause
// A colour picture to be coded: one of the data, or a file. There is no pen for colours.
import { button, el } from "./dom";
import { readColours } from "./image_file";
import { colourPixels } from "./pixels";
import type { Report } from "./report";
import { type SampleInput, valueRange } from "./sample_input";
import type { Shape } from "./shape";

export function colourInput(report: Report, shape: Shape, changed: () => void): SampleInput {
  const [low, high] = valueRange(report);
  const canvas = el("canvas", { class: "pad pixels", role: "img", "aria-label": "the sample", width: shape.width, height: shape.height });
  const parts = new Float32Array(shape.width * shape.height * 3);  // 0 .. 1
  const show = (): void => {
    const context = canvas.getContext("2d")!;
    const image = context.createImageData(shape.width, shape.height);
    const pixels = new Uint32Array(image.data.buffer);
    const pixel = colourPixels(parts, 1);
    for (let i = 0; i < pixels.length; ++i) pixels[i] = pixel(i);
    context.putImageData(image, 0, 0);
    changed();
  };
  const set = (next: (j: number) => number): void => {
    for (let j = 0; j < parts.length; ++j) parts[j] = Math.max(0, Math.min(1, next(j)));
    show();
  };
  return {
    element: canvas,
    buttons: [button("Clear", () => set(() => 0)), button("Invert", () => set((j) => 1 - parts[j]!))],
    raw: () => parts.map((v) => low + v * (high - low)),
    set: (raw) => set((j) => (raw[j]! - low) / (high - low)),
    clear: () => set(() => 0),
    read: async (file) => {
      const values = await readColours(file, shape.width, shape.height);
      set((j) => values[j]!);
    },
  };
}
