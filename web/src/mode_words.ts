// SPDX-License-Identifier: BSD-3-Clause
// What the table of the ways of encoding does not say by itself.
import { el } from "./dom";
import type { EncodingRow } from "./report";

// The best codes in the sense of E seem worse than those of one product: everybody asks.
export function exactNote(rows: EncodingRow[]): HTMLElement | null {
  if (!rows.some((row) => row.mode === "exact")) return null;
  return el("p", { class: "hint", id: "exact-note" },
    "exact minimises E, in which large weights cost: its weights are smaller than those that fit best, and its error with D can be larger than that of sparse, " +
    "whose decoder is fitted to its codes; the column of least squares on the support compares the two without that cost.");
}
