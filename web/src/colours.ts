// SPDX-License-Identifier: BSD-3-Clause
// From numbers in -1 .. 1 to colours. Zero is the card itself, or mid-grey as in the paper.
import { repaint, theme } from "./theme";

export type Palette = "signed" | "grey";
type Rgb = [number, number, number];

let palette: Palette = "signed";
export function setPalette(name: Palette): void {
  palette = name;
  repaint();
}

// Of bars, curves and weights: the same for the same sign as in tiles.
export const signColour = (value: number): string => (value < 0 ? theme().negative : theme().positive);

function mix(a: Rgb, b: Rgb, t: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(a[i]! + (b[i]! - a[i]!) * t)) as Rgb;
}

function along(stops: Rgb[], t: number): Rgb {
  const place = t * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(place));
  return mix(stops[i]!, stops[i + 1]!, place - i);
}

const light = {
  positive: [[255, 255, 255], [250, 196, 130], [214, 96, 30], [110, 28, 8]] as Rgb[],
  negative: [[255, 255, 255], [150, 196, 232], [40, 112, 184], [8, 40, 96]] as Rgb[],
};
const dark = {
  positive: [[27, 29, 34], [140, 62, 20], [244, 140, 60], [255, 236, 196]] as Rgb[],
  negative: [[27, 29, 34], [24, 74, 128], [78, 156, 232], [208, 234, 255]] as Rgb[],
};

export function colourOf(value: number): Rgb {
  const v = Math.max(-1, Math.min(1, value));
  if (palette === "grey") return mix([128, 128, 128], v < 0 ? [0, 0, 0] : [255, 255, 255], Math.abs(v));
  const sides = theme().dark ? dark : light;
  return along(v < 0 ? sides.negative : sides.positive, Math.abs(v));
}

export const css = ([r, g, b]: Rgb): string => `rgb(${r},${g},${b})`;

// 511 colours for -1 .. 1 as canvas pixels.
export function table(): Uint32Array {
  const pixels = new Uint32Array(511);
  const bytes = new Uint8ClampedArray(pixels.buffer);
  for (let i = 0; i < 511; ++i) bytes.set([...colourOf((i - 255) / 255), 255], 4 * i);
  return pixels;
}

export function largest(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; ++i) most = Math.max(most, Math.abs(values[i]!));
  return most;
}
