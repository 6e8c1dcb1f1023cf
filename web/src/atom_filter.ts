// SPDX-License-Identifier: BSD-3-Clause
// Which atoms are shown, and the way to one by its number.
import { hasTexts, isAbout, wordsOf } from "./atom_texts";
import { button, el } from "./dom";
import { count, number } from "./format";
import { knowsUsage, usage } from "./order";
import type { Report } from "./report";

export interface AtomFilter {
  element: HTMLElement;
  accepts(atom: number): boolean;
  // What it left, for the reader.
  tell(nShown: number): void;
  clear(): void;
}

function numberInput(label: string, attributes: Record<string, string | number>, changed: (value: number | null) => void) {
  const input = el("input", { type: "number", inputmode: "decimal", ...attributes });
  input.addEventListener("input", () => changed(input.value === "" || !input.validity.valid ? null : Number(input.value)));
  return { input, element: el("label", { class: "control" }, el("span", {}, label), input) };
}

export function atomFilter(report: Report, changed: () => void, jump: (atom: number) => void): AtomFilter {
  const n = report.model.shape.n_atoms;
  const known = knowsUsage(report);
  const used = usage(report);
  const { coherence } = report.atoms;
  const limits: { leastUse: number | null; mostUse: number | null; leastCoherence: number | null } =
    { leastUse: null, mostUse: null, leastCoherence: null };
  const field = (label: string, name: keyof typeof limits, attributes: Record<string, string | number>) =>
    numberInput(label, attributes, (value) => { limits[name] = value; changed(); });
  const mostUsed = Math.max(0, ...used);
  const inputs = [
    ...(known ? [field("Used by at least", "leastUse", { min: 0, max: mostUsed, step: 1, placeholder: 0 }),
      field("at most", "mostUse", { min: 0, max: mostUsed, step: 1, placeholder: mostUsed })] : []),
    field("Coherence at least", "leastCoherence", { min: 0, max: 1, step: "any", placeholder: 0 })];
  let words: string[] = [];
  const about = el("input", { type: "search", placeholder: "words" });
  about.addEventListener("input", () => { words = wordsOf(about.value); changed(); });
  const aboutElement = hasTexts(report) ? el("label", { class: "control" }, el("span", {}, "Strongest samples say"), about) : null;
  const to = numberInput("Go to atom", { min: 0, max: n - 1, step: 1, placeholder: 0 }, () => undefined);
  const go = (): void => { if (to.input.value !== "" && to.input.validity.valid) jump(Number(to.input.value)); };
  to.input.addEventListener("change", go);
  const status = el("p", { class: "note", role: "status" });
  const clear = (): void => {
    for (const { input } of inputs) input.value = "";
    about.value = "";
    words = [];
    limits.leastUse = limits.mostUse = limits.leastCoherence = null;
  };
  const all = button("Show all", () => { clear(); changed(); }, { class: "quiet", hidden: true });
  const element = el("div", { class: "atom-filter" }, to.element, ...inputs.map((one) => one.element), ...(aboutElement ? [aboutElement] : []), all, status);
  return {
    element,
    clear,
    accepts: (atom) =>
      (limits.leastUse === null || used[atom]! >= limits.leastUse) && (limits.mostUse === null || used[atom]! <= limits.mostUse) &&
      (limits.leastCoherence === null || coherence[atom]! >= limits.leastCoherence) &&
      (words.length === 0 || isAbout(report, atom, words)),
    tell: (nShown) => {
      const some = limits.leastUse !== null || limits.mostUse !== null || limits.leastCoherence !== null || words.length > 0;
      all.hidden = !some;
      status.textContent = !some ? "" : nShown === 0
        ? (words.length > 0 ? "No atom is like that" : `No atom is like that; the largest coherence is ${number(Math.max(...coherence))}`) + ". All are shown."
        : `${count(nShown)} of ${count(n)} atoms`;
    },
  };
}
