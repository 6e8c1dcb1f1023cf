// SPDX-License-Identifier: BSD-3-Clause
// The atoms that are most like one.
import type { Table } from "./report";

export interface Neighbour {
  atom: number;
  cosine: number;
}

export function nearest(dictionary: Table<Float32Array>, norms: number[], atom: number, most: number): Neighbour[] {
  const own = dictionary.row(atom);
  const all: Neighbour[] = [];
  for (let other = 0; other < dictionary.rows; ++other) {
    if (other === atom || !(norms[atom]! > 0) || !(norms[other]! > 0)) continue;
    const row = dictionary.row(other);
    let dot = 0;
    for (let j = 0; j < row.length; ++j) dot += own[j]! * row[j]!;
    all.push({ atom: other, cosine: dot / (norms[atom]! * norms[other]!) });
  }
  return all.sort((a, b) => Math.abs(b.cosine) - Math.abs(a.cosine) || a.atom - b.atom).slice(0, most);
}
