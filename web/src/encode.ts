// SPDX-License-Identifier: BSD-3-Clause
// The encoders, as src/model/modes has them: preprocessing, products, gain and threshold or greedy moves, and back.
import { GreedyCoder } from "./greedy";
import type { FittedNumbers, Report, Table, Tensors } from "./report";

export type Mode = "linear" | "sparse" | "corrected" | "hard" | "greedy";

type Floats = Table<Float32Array>;

const mostGreedyAtoms = 1024;  // the page keeps the products of all pairs of them

// A sample after the model's preprocessing, with what that took away.
export interface Prepared {
  values: Float32Array;
  center: number;
  norm: number;
}

interface Fitted {
  weights: Floats;
  feedback: Floats | null;
  decoder: Floats | null;
  numbers: FittedNumbers;
}

// Four sums at a time: a chain of one would wait for itself.
function dot(a: Float32Array, from: number, x: Float32Array, n: number): number {
  let s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    s0 += a[from + j]! * x[j]!;
    s1 += a[from + j + 1]! * x[j + 1]!;
    s2 += a[from + j + 2]! * x[j + 2]!;
    s3 += a[from + j + 3]! * x[j + 3]!;
  }
  for (; j < n; ++j) s0 += a[from + j]! * x[j]!;
  return s0 + s1 + (s2 + s3);
}

export class Coder {
  readonly modes: Mode[] = ["linear"];
  private readonly dictionary: Floats;
  private readonly dual: Floats;
  private readonly fitted = new Map<Mode, Fitted>();
  private readonly offset: Float32Array;  // of the space that codes live in
  private readonly hard: { bias: number[]; level: number; decoder: Floats | null } | null = null;
  private readonly greedy: GreedyCoder | null = null;

  constructor(private readonly report: Report, tensors: Tensors) {
    this.dictionary = tensors.floats("dictionary")!;
    this.dual = tensors.floats("dual")!;
    for (const mode of ["sparse", "corrected"] as const) {
      const numbers = report.encoders[mode];
      const weights = tensors.floats(`${mode}.weights`);
      if (!numbers || !weights) break;
      this.fitted.set(mode, { numbers, weights, feedback: tensors.floats(`${mode}.feedback`), decoder: tensors.floats(`${mode}.decoder`) });
      this.modes.push(mode);
    }
    this.offset = Float32Array.from(report.offset);
    const { hard, greedy } = report.encoders;
    if (hard?.level !== undefined) {
      this.hard = { bias: hard.bias, level: hard.level, decoder: tensors.floats("hard.decoder") };
      this.modes.push("hard");
    }
    if (greedy?.level !== undefined && this.dictionary.rows <= mostGreedyAtoms) {
      this.greedy = new GreedyCoder(this.dictionary, greedy.level, report.model.positive_codes);
      this.modes.push("greedy");
    }
  }

  // The mode to begin with.
  get usual(): Mode {
    return (["sparse", "hard"] as const).find((mode) => this.modes.includes(mode)) ?? "linear";
  }

  prepare(raw: ArrayLike<number>): Prepared {
    const { scale, center_samples, unit_norm } = this.report.model.transform;
    const means = this.report.feature_means;
    const n = raw.length;
    const row = new Float64Array(n);
    let center = 0;
    for (let j = 0; j < n; ++j) center += row[j] = raw[j]! / scale - (means.length > 0 ? means[j]! : 0);
    center = center_samples && n > 0 ? center / n : 0;
    let squares = 0;
    for (let j = 0; j < n; ++j) squares += (row[j]! - center) ** 2;
    const norm = unit_norm && squares > 0 ? Math.sqrt(squares) : 1;
    return { values: Float32Array.from(row, (v) => (v - center) / norm), center, norm };
  }

  private shrink(numbers: FittedNumbers, x: Float32Array, code: Float32Array): void {
    let squares = 0;
    for (let j = 0; j < x.length; ++j) squares += x[j]! * x[j]!;
    const { mean_norm, positive_codes } = this.report.model;
    const level = mean_norm > 0 ? Math.sqrt(squares) / mean_norm : 0;
    for (let i = 0; i < code.length; ++i) {
      const t = numbers.threshold[i]! * (1 + numbers.growth[i]! * level);
      const v = code[i]!;
      code[i] = v > t ? numbers.gain[i]! * (v - t) : v < -t && !positive_codes ? numbers.gain[i]! * (v + t) : 0;
    }
  }

  encode(mode: Mode, prepared: Float32Array, code: Float32Array = new Float32Array(this.dual.rows)): Float32Array {
    const x = this.offset.length > 0 ? prepared.map((v, j) => v - this.offset[j]!) : prepared;
    if (mode === "greedy") return this.greedy!.encode(x, code);
    const fitted = mode === "linear" || mode === "hard" ? null : this.fitted.get(mode)!;
    const weights = fitted ? fitted.weights : this.dual;
    for (let i = 0; i < weights.rows; ++i) code[i] = dot(weights.values, i * weights.cols, x, weights.cols);
    if (mode === "hard") this.cut(code);
    if (!fitted) return code;
    if (fitted.feedback) this.addFeedback(fitted.feedback, this.encode("sparse", x), code);
    this.shrink(fitted.numbers, x, code);
    return code;
  }

  private cut(code: Float32Array): void {
    const { bias, level } = this.hard!;
    const { positive_codes } = this.report.model;
    for (let i = 0; i < code.length; ++i) {
      const z = code[i]! + bias[i]!;
      code[i] = (positive_codes ? z : Math.abs(z)) > level ? z : 0;
    }
  }

  private addFeedback(feedback: Floats, first: Float32Array, code: Float32Array): void {
    const used: number[] = [];
    first.forEach((v, j) => { if (v !== 0) used.push(j); });
    for (let i = 0; i < feedback.rows; ++i) {
      const from = i * feedback.cols;
      let sum = 0;
      for (const j of used) sum += feedback.values[from + j]! * first[j]!;
      code[i]! += sum;
    }
  }

  // In the space of prepared samples, with the mode's own decoder.
  decode(mode: Mode | "exact", code: Float32Array, out: Float32Array = new Float32Array(this.dual.cols)): Float32Array {
    const decoder = this.decoder(mode);
    out.set(this.origin());
    for (let i = 0; i < code.length; ++i) {
      const u = code[i]!;
      if (u === 0) continue;
      const from = i * decoder.cols;
      for (let j = 0; j < out.length; ++j) out[j]! += u * decoder.values[from + j]!;
    }
    return out;
  }

  private decoder(mode: Mode | "exact"): Floats {
    const own = mode === "hard" ? this.hard?.decoder : mode === "sparse" || mode === "corrected" ? this.fitted.get(mode)?.decoder : null;
    return own ?? this.dictionary;
  }

  decoderRow(mode: Mode | "exact", atom: number): Float32Array {
    return this.decoder(mode).row(atom);
  }

  // What a code of zeros stands for.
  origin(): Float32Array {
    return this.offset.length > 0 ? this.offset.slice() : new Float32Array(this.dual.cols);
  }

  // Back to the values of the data; what preprocessing took from this very sample is given back.
  restore(decoded: Float32Array, { center, norm }: Prepared): Float32Array {
    const { scale } = this.report.model.transform;
    const means = this.report.feature_means;
    return decoded.map((v, j) => (v * norm + center + (means.length > 0 ? means[j]! : 0)) * scale);
  }
}

export function relativeError(x: Float32Array, decoded: Float32Array): number {
  let error = 0, size = 0;
  for (let j = 0; j < x.length; ++j) {
    error += (x[j]! - decoded[j]!) ** 2;
    size += x[j]! ** 2;
  }
  return size > 0 ? Math.sqrt(error / size) : error > 0 ? Infinity : 0;
}

export function nonzeros(code: Float32Array): number {
  let n = 0;
  for (const v of code) if (v !== 0) ++n;
  return n;
}

// The atoms with the largest weights, largest first.
export function strongest(code: Float32Array, most: number): number[] {
  const used: number[] = [];
  code.forEach((v, i) => { if (v !== 0) used.push(i); });
  return used.sort((a, b) => Math.abs(code[b]!) - Math.abs(code[a]!)).slice(0, most);
}
