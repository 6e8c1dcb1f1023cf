// SPDX-License-Identifier: BSD-3-Clause
// Try it: a sample, or for patches a whole picture, coded in the page.
import { el, tabs } from "./dom";
import type { Coder } from "./encode";
import type { Report, Tensors } from "./report";
import type { Shape } from "./shape";
import { tryPicture } from "./try_picture";
import { trySample } from "./try_sample";

const mostPatchSide = 20;

export function tryItSection(): HTMLElement {
  return el("section", { id: "try" }, el("h2", {}, "Try it"), el("p", { class: "hint" }, "Loading the encoders \u2026"));
}

export function fillTryIt(section: HTMLElement, report: Report, tensors: Tensors, shape: Shape, coder: Coder): void {
  const place = el("div");
  const { sample_height, sample_width } = report.model.shape;
  const patches = shape.picture && shape.channels === 1 && sample_height > 0 && Math.max(sample_height, sample_width) <= mostPatchSide;
  const show = (what: string): void =>
    place.replaceChildren(what === "picture" ? tryPicture(report, tensors, shape, coder) : trySample(report, tensors, shape, coder));
  const kinds = shape.picture && shape.channels === 1 && Math.max(shape.width, shape.height) <= 256
    ? tabs("try-kind", "Code", [["sample", "one sample"], ["picture", "a whole picture"]], patches ? "picture" : "sample", show)
    : null;
  const left = report.encoders_left_out;
  section.replaceChildren(el("div", { class: "section-head" }, el("h2", {}, "Try it"), kinds),
    ...(left.length > 0 ? [el("p", { class: "hint" }, `Left out to keep the page small: ${left.join(", ")}.`)] : []), place);
  show(patches ? "picture" : "sample");
}
