// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const count = (value: number): string => grouped.format(value);

// `digits` significant ones; powers of ten for the very large and the very small; a true minus sign.
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text: string;
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e") as [string, string];
    text = `${mantissa.replace(/\.?0+$/, "")}e${exponent.replace("+", "")}`;
  } else if (size >= 10 ** digits) {
    text = grouped.format(value);
  } else {
    text = value.toPrecision(digits);
  }
  return text.replace(/-/g, "\u2212");
}

export function percent(part: number, whole: number): string {
  if (!(whole > 0)) return "0\u00a0%";
  const value = (100 * part) / whole;
  if (value > 0 && value < 0.1) return "< 0.1\u00a0%";
  return `${value.toFixed(value < 10 ? 1 : 0)}\u00a0%`;
}

// A share of a whole, which may be negative, with three digits.
export function share(value: number): string {
  if (value > 0.9995 && value < 1) return "> 99.9\u00a0%";
  return `${number(100 * value)}\u00a0%`;
}

export function median(values: number[]): number {
  const ordered = values.slice().sort((a, b) => a - b);
  const middle = ordered.length >> 1;
  return ordered.length % 2 === 1 ? ordered[middle]! : ordered.length > 0 ? (ordered[middle - 1]! + ordered[middle]!) / 2 : 0;
}

export function duration(seconds: number): string {
  if (seconds < 1e-3) return `${number(seconds * 1e6, 2)} \u00b5s`;
  if (seconds < 1) return `${number(seconds * 1e3, 2)} ms`;
  if (seconds < 120) return `${number(seconds, 3)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

export const signed = (value: number, digits = 2): string =>
  value > 0 ? `+${number(value, digits)}` : number(value, digits);

// The last part of a path; the whole is in the section on how the model was made.
export const fileName = (path: string): string => path.replace(/\/+$/, "").split("/").pop() || path;
