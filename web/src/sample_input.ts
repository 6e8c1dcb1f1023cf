// SPDX-License-Identifier: BSD-3-Clause
// Where the sample to be coded comes from: a pen on a grid, or a curve over features.
import { CurvePad } from "./curve_pad";
import { button, el } from "./dom";
import { readImage, readNumbers } from "./image_file";
import { Ink, showGrey } from "./ink";
import type { Report } from "./report";
import type { Shape } from "./shape";

export interface SampleInput {
  element: HTMLElement;
  buttons: HTMLElement[];
  raw(): Float32Array;  // in the units of the data
  set(raw: ArrayLike<number>): void;
  clear(): void;
  read(file: File): Promise<void>;
}

// The smallest and the largest value of the data: measured, or guessed from the scale by which they are divided.
export function valueRange(report: Report): [number, number] {
  if (report.data && report.data.largest > report.data.smallest) return [report.data.smallest, report.data.largest];
  const { scale } = report.model.transform;
  if (scale === 1) return [0, 1];
  return [0, scale > 100 && scale < 256 ? 255 : scale];
}

export function pixelInput(report: Report, shape: Shape, changed: () => void): SampleInput {
  const [low, high] = valueRange(report);
  const { width, height } = shape;
  const ink: Ink = new Ink(width, height, Math.max(0.5, Math.min(width, height) / 24), {
    changed: () => { showGrey(ink.canvas, ink.values, width, height, 0, 1); changed(); },
  });
  showGrey(ink.canvas, ink.values, width, height, 0, 1);
  return {
    element: ink.canvas,
    buttons: [button("Clear", () => ink.clear()), button("Invert", () => ink.set(ink.values.map((v) => 1 - v)))],
    raw: () => ink.values.map((v) => low + v * (high - low)),
    set: (raw) => ink.set(Float32Array.from(raw, (v) => (v - low) / (high - low))),
    clear: () => ink.clear(),
    read: async (file) => ink.set(await readImage(file, width, height)),
  };
}

export function curveInput(report: Report, shape: Shape, changed: () => void): SampleInput {
  let [low, high] = valueRange(report);
  const margin = 0.1 * (high - low);
  [low, high] = [low - margin, high + margin];
  const pad = new CurvePad(shape, () => [low, high], changed);
  const start = (): ArrayLike<number> => {
    const { scale } = report.model.transform;
    return Array.from(pad.values, (_, j) => (report.feature_means.length > 0 ? report.feature_means[j]! * scale : 0));
  };
  return {
    element: el("div", {}, pad.canvas, pad.status),
    buttons: [button("Clear", () => pad.set(start()))],
    raw: () => pad.values.slice(),
    set: (raw) => pad.set(raw),
    clear: () => pad.set(start()),
    read: async (file) => pad.set(await readNumbers(file, shape.width)),
  };
}
