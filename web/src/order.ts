// SPDX-License-Identifier: BSD-3-Clause
// The orders in which atoms can be looked at.
import type { Report } from "./report";

export type Order = "use" | "index" | "norm" | "coherence" | "agreement" | "dual_norm";

export const orders: [Order, string][] = [
  ["use", "most used"], ["norm", "largest norm"], ["coherence", "most coherent"], ["agreement", "most like its dual"],
  ["dual_norm", "largest dual norm"], ["index", "as stored"]];

// Samples of the training data that use each atom; of the page's data when the model does not know.
export function usage(report: Report): number[] {
  if (report.model.usage.length > 0) return report.model.usage;
  return report.data?.usage ?? new Array<number>(report.model.shape.n_atoms).fill(0);
}

// Without either, nothing is known of the use of atoms: an atom is then not called dead.
export const knowsUsage = (report: Report): boolean => report.model.usage.length > 0 || report.data?.usage !== undefined;
export const usageTotal = (report: Report): number =>
  report.model.usage.length > 0 ? report.model.data.n_samples : report.data?.n_coded ?? 0;

export function sorted(report: Report, order: Order): number[] {
  const atoms = Array.from({ length: report.model.shape.n_atoms }, (_, i) => i);
  if (order === "index") return atoms;
  const key = order === "use" ? usage(report) : report.atoms[order];
  return atoms.sort((a, b) => key[b]! - key[a]! || a - b);
}
