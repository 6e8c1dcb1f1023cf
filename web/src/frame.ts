// SPDX-License-Identifier: BSD-3-Clause
// The atoms as a frame, and how the model was made.
import { el, fact } from "./dom";
import { count, number } from "./format";
import type { Report } from "./report";

export function frameSection({ frame, model }: Report): HTMLElement {
  const { n_atoms, n_features } = model.shape;
  const { bounds } = frame;
  const ratio = bounds && bounds.lower > 0 ? bounds.upper / bounds.lower : null;
  return el("section", { id: "frame" }, el("h2", {}, "As a frame"),
    el("p", { class: "hint" }, bounds
      ? `For every x in the span of the atoms, A |x|\u00b2 \u2264 \u2211 \u27e8d, x\u27e9\u00b2 \u2264 B |x|\u00b2. A tight frame has A = B, and its dual is the frame itself.`
      : "Bounds are not computed when both the atoms and the features are more than 1500."),
    el("dl", { class: "facts" },
      fact("Lower bound A", number(bounds?.lower), bounds ? `on a span of ${count(bounds.rank)} dimensions` : "not computed"),
      fact("Upper bound B", number(bounds?.upper), "the largest eigenvalue of D D\u2032"),
      fact("B / A", number(ratio), "1 is tight"),
      fact("Distance from tight", number(bounds?.distance), "|S \u2212 s I| / |S|; 0 is tight"),
      fact("Coherence", number(frame.coherence), `largest |cos| of two atoms; mean ${number(frame.mean_coherence)}`),
      fact("Redundancy", number(n_atoms / n_features), frame.welch_bound > 0 ? `K / d; no coherence below ${number(frame.welch_bound)}` : "K / d; orthogonal atoms would fit")));
}

const shown = (value: unknown): string => (value === null || value === undefined ? "\u2013" : typeof value === "number" ? number(value, 6) : String(value));

export function makingSection({ model, data }: Report): HTMLElement {
  const steps = [
    model.transform.scale !== 1 ? `divide by ${number(model.transform.scale, 4)}` : "",
    model.transform.center_features ? "subtract the training mean" : "",
    model.transform.center_samples ? "subtract each sample's mean" : "",
    model.transform.unit_norm ? "scale each sample to norm 1" : ""].filter(Boolean);
  const rows: [string, string][] = [
    ["outcome", `${model.outcome.name}: ${model.outcome.message}`],
    ["learned from", model.data.name],
    ["fingerprint", model.data.fingerprint],
    ["preprocessing", steps.join(", ") || "none"],
    ["precision", model.dtype],
    ["samples shown", data ? `${data.name} (${count(data.n_coded)} of ${count(data.n_samples)} coded)` : "none"],
    ["made with", `dualdict ${model.version}`]];
  const options = Object.entries(model.options_used);
  return el("section", { id: "making" }, el("h2", {}, "How it was made"),
    el("dl", { class: "making" }, ...rows.flatMap(([term, value]) => [el("dt", {}, term), el("dd", {}, value)])),
    el("details", {}, el("summary", {}, `The ${options.length} options of the fit`),
      el("dl", { class: "making options" }, ...options.flatMap(([name, value]) => {
        const given = model.options_given[name];
        const found = given !== undefined && shown(given) !== shown(value);
        return [el("dt", {}, `--${name}`), el("dd", {}, `${shown(value)}${found ? " (found)" : ""}`)];
      }))));
}
