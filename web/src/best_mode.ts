// SPDX-License-Identifier: BSD-3-Clause
// What one looks for first: how much of the samples the codes explain, with how many nonzeros.
import type { EncodingRow, Report } from "./report";

export interface Best {
  row: EncodingRow;
  debiased: boolean;  // by least squares on the support rather than by the mode's own decoder
  explained: number;  // 1 - |x - decoded|^2 / |x|^2
}

const errorOf = (row: EncodingRow): number => Math.min(row.reconstruction_error ?? Infinity, row.debiased_reconstruction_error ?? Infinity);

// Of the modes whose codes have no more nonzeros than those of the fit, a tenth allowed, the one with the smallest
// error; baselines, which have no speed, are no modes. Null where nothing was measured.
export function bestMode({ model }: Report): Best | null {
  const modes = model.encoding.rows.filter((row) => row.samples_per_second !== null && row.nonzeros !== null && Number.isFinite(errorOf(row)));
  const sparse = modes.filter((row) => row.nonzeros! <= 1.1 * model.outcome.nonzeros_per_code);
  const [row] = (sparse.length > 0 ? sparse : modes).sort((a, b) => errorOf(a) - errorOf(b));
  if (!row) return null;
  const error = errorOf(row);
  return { row, debiased: error < (row.reconstruction_error ?? Infinity), explained: 1 - error * error };
}
