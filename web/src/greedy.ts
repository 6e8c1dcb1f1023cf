// SPDX-License-Identifier: BSD-3-Clause
// Greedy codes, as src/solvers/greedy_codes has them: the move of one coefficient that takes most off
// |x - D u|^2 + price |u|_0, again and again while that is more than a twentieth of the price.
import type { Table } from "./report";

const tolerance = 0.05;
const mostMovesPerAtom = 8;

export class GreedyCoder {
  private readonly unit: Float64Array;
  private readonly norms: Float64Array;
  private gram: Float64Array | null = null;  // made when it is first needed
  private readonly n: number;
  private readonly d: number;

  constructor(atoms: Table<Float32Array>, private readonly price: number, private readonly positive: boolean) {
    this.n = atoms.rows;
    this.d = atoms.cols;
    this.unit = new Float64Array(this.n * this.d);
    this.norms = new Float64Array(this.n);
    for (let i = 0; i < this.n; ++i) {
      const row = atoms.row(i);
      const norm = Math.hypot(...row);
      this.norms[i] = norm;
      for (let j = 0; j < this.d && norm > 0; ++j) this.unit[i * this.d + j] = row[j]! / norm;
    }
  }

  private products(): Float64Array {
    if (this.gram) return this.gram;
    const { n, d, unit } = this;
    const gram = new Float64Array(n * n);
    for (let i = 0; i < n; ++i)
      for (let k = 0; k <= i; ++k) {
        let sum = 0;
        for (let j = 0; j < d; ++j) sum += unit[i * d + j]! * unit[k * d + j]!;
        gram[i * n + k] = gram[k * n + i] = sum;
      }
    this.gram = gram;
    return gram;
  }

  encode(x: Float32Array, code: Float32Array): Float32Array {
    const { n, d, unit, price, positive } = this;
    const gram = this.products();
    const u = new Float64Array(n);
    const left = new Float64Array(n);
    for (let i = 0; i < n; ++i) {
      let sum = 0;
      for (let j = 0; j < d; ++j) sum += unit[i * d + j]! * x[j]!;
      left[i] = sum;
    }
    for (let moves = 0; moves < mostMovesPerAtom * n; ++moves) {
      let best = -1, target = 0, most = tolerance * price;
      for (let i = 0; i < n; ++i) {
        if (this.norms[i] === 0) continue;
        const w = left[i]! + u[i]!;
        const to = w * w > price && (w > 0 || !positive) ? w : 0;
        const gain = left[i]! ** 2 + (u[i] === 0 ? 0 : price) - (to === 0 ? w * w : price);
        if (gain > most) { most = gain; best = i; target = to; }
      }
      if (best < 0) break;
      const change = target - u[best]!;
      u[best] = target;
      for (let i = 0; i < n; ++i) left[i]! -= change * gram[best * n + i]!;
    }
    for (let i = 0; i < n; ++i) code[i] = u[i] === 0 ? 0 : u[i]! / this.norms[i]!;
    return code;
  }
}
