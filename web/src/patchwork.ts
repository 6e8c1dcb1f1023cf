// SPDX-License-Identifier: BSD-3-Clause
// A whole picture, coded patch by patch. Only the patches that changed are coded again, a few milliseconds a frame, so
// that the pen never waits.
import { median } from "./format";
import { type Coder, type Mode, nonzeros } from "./encode";

export interface PatchworkNumbers {
  patches: number;
  coded: number;
  error: number;      // of the prepared patches, as in the table of the modes
  nonzeros: number;   // per patch
  microseconds: number;  // per patch: the median over frames
  weights: Float32Array;  // sum of |u| of each atom
}

export class Patchwork {
  readonly columns: number;
  readonly rows: number;
  readonly restored: Float32Array;
  private readonly stale = new Set<number>();
  private readonly codes: (Float32Array | null)[];
  private readonly squares: Float64Array;  // |x - decoded|^2 and |x|^2 of every patch
  private times: number[] = [];  // per patch, of the last frames

  constructor(readonly width: number, readonly height: number, private readonly patch: { width: number; height: number }, private readonly nAtoms: number) {
    this.columns = width / patch.width;
    this.rows = height / patch.height;
    this.restored = new Float32Array(width * height);
    this.codes = new Array<Float32Array | null>(this.columns * this.rows).fill(null);
    this.squares = new Float64Array(2 * this.codes.length);
  }

  touch(top: number, bottom: number, left: number, right: number): void {
    const { width, height } = this.patch;
    for (let r = Math.floor(top / height); r < Math.ceil(bottom / height); ++r)
      for (let c = Math.floor(left / width); c < Math.ceil(right / width); ++c) this.stale.add(r * this.columns + c);
  }

  // Codes stale patches for at most so long; true when none is left.
  work(coder: Coder, mode: Mode, values: Float32Array, milliseconds: number): boolean {
    const start = performance.now();
    let done = 0;
    for (const index of this.stale) {
      this.stale.delete(index);
      this.code(coder, mode, values, index);
      ++done;
      if (done % 8 === 0 && performance.now() - start > milliseconds) break;
    }
    // A few patches are sooner done than the clock ticks.
    if (done >= 8) this.times = [...this.times.slice(-200), (1e3 * (performance.now() - start)) / done];
    return this.stale.size === 0;
  }

  private code(coder: Coder, mode: Mode, values: Float32Array, index: number): void {
    const { width, height } = this.patch;
    const top = Math.floor(index / this.columns) * height;
    const left = (index % this.columns) * width;
    const raw = new Float32Array(width * height);
    for (let y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x) raw[y * width + x] = values[(top + y) * this.width + left + x]!;
    const prepared = coder.prepare(raw);
    const code = (this.codes[index] = coder.encode(mode, prepared.values, this.codes[index] ?? new Float32Array(this.nAtoms)));
    const decoded = coder.decode(mode, code);
    let error = 0, size = 0;
    for (let j = 0; j < decoded.length; ++j) {
      error += (prepared.values[j]! - decoded[j]!) ** 2;
      size += prepared.values[j]! ** 2;
    }
    this.squares[2 * index] = error;
    this.squares[2 * index + 1] = size;
    const back = coder.restore(decoded, prepared);
    for (let y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x) this.restored[(top + y) * this.width + left + x] = back[y * width + x]!;
  }

  forgetTime(): void {
    this.times = [];
  }

  numbers(): PatchworkNumbers {
    let error = 0, size = 0, used = 0, coded = 0;
    const weights = new Float32Array(this.nAtoms);
    this.codes.forEach((code, i) => {
      if (!code) return;
      ++coded;
      error += this.squares[2 * i]!;
      size += this.squares[2 * i + 1]!;
      used += nonzeros(code);
      for (let k = 0; k < code.length; ++k) weights[k]! += Math.abs(code[k]!);
    });
    return {
      patches: this.codes.length, coded, weights,
      error: size > 0 ? Math.sqrt(error / size) : 0,
      nonzeros: coded > 0 ? used / coded : 0,
      microseconds: median(this.times),
    };
  }
}
