// SPDX-License-Identifier: BSD-3-Clause
// Code a whole picture, patch by patch, while it is drawn on.
import { drawCode } from "./code_figure";
import { button, el, tabs } from "./dom";
import type { Coder, Mode } from "./encode";
import { figure } from "./figure";
import { count, number } from "./format";
import { acceptFiles, readImage } from "./image_file";
import { Ink, showGrey } from "./ink";
import { Patchwork } from "./patchwork";
import type { Report, Tensors } from "./report";
import { valueRange } from "./sample_input";
import type { Shape } from "./shape";

const side = 512;
const budget = 8;  // milliseconds of a frame's sixteen

// Overlapping discs: edges of every direction, which is what patches are made of.
function discs(width: number, height: number): Float32Array {
  const values = new Float32Array(width * height).fill(0.5);
  let seed = 7;
  const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < 220; ++i) {
    const r = 9 / Math.sqrt(random() + 0.004);
    const [cx, cy, grey] = [random() * width, random() * height, 0.08 + 0.84 * random()];
    for (let y = Math.max(0, Math.floor(cy - r)); y < Math.min(height, cy + r); ++y)
      for (let x = Math.max(0, Math.floor(cx - r)); x < Math.min(width, cx + r); ++x)
        if (Math.hypot(x - cx, y - cy) < r) values[y * width + x] = grey;
  }
  return values;
}

export function tryPicture(report: Report, tensors: Tensors, shape: Shape, coder: Coder): HTMLElement {
  const dictionary = tensors.floats("dictionary")!;
  const width = Math.floor(side / shape.width) * shape.width;
  const height = Math.floor(side / shape.height) * shape.height;
  const [low, high] = valueRange(report);
  const work = new Patchwork(width, height, shape, dictionary.rows);
  let mode: Mode = coder.usual;
  let running = false;

  const raw = new Float32Array(width * height);
  const restored = el("canvas", { class: "pixels", role: "img", "aria-label": "The picture as its codes give it back" });
  const numbers = el("p", { class: "numbers-line", role: "status" });
  const codes = figure({
    name: "picture-code", title: "What the picture is made of", caption: "The sum of the absolute weights of each atom over all patches.",
    draw: (w) => drawCode(w, shape, dictionary, work.numbers().weights),
  });
  const say = (): void => {
    const all = work.numbers();
    numbers.textContent = `${count(all.coded)} of ${count(all.patches)} patches \u00b7 relative error ${number(all.error)} \u00b7 ${number(all.nonzeros)} nonzeros each \u00b7 ${number(all.microseconds, 2)} \u00b5s each (median)`;
  };
  const frame = (): void => {
    const done = work.work(coder, mode, raw, budget);
    showGrey(restored, work.restored, width, height, low, high);
    say();
    running = !done;
    if (running) requestAnimationFrame(frame);
    else codes.redraw();
  };
  const ink = new Ink(width, height, 5, {
    changed(top, bottom, left, right) {
      for (let y = top; y < bottom; ++y)
        for (let x = left; x < right; ++x) raw[y * width + x] = low + ink.values[y * width + x]! * (high - low);
      showGrey(ink.canvas, ink.values, width, height, 0, 1, { top, bottom, left, right });
      work.touch(top, bottom, left, right);
      if (running) return;
      running = true;
      requestAnimationFrame(frame);
    },
  });
  const all = (): void => { work.forgetTime(); ink.set(ink.values); };
  const message = el("p", { class: "note", role: "status" });
  const read = (file: File): void => {
    message.textContent = "";
    readImage(file, width, height).then((values) => ink.set(values), () => void (message.textContent = `${file.name}: not an image that this browser reads`));
  };
  const opener = el("input", { type: "file", accept: "image/*", class: "file", "aria-label": "Open an image" });
  opener.addEventListener("change", () => { const file = opener.files?.[0]; if (file) read(file); });
  acceptFiles(ink.canvas, read);
  ink.set(discs(width, height));
  return el("div", {}, el("p", { class: "hint" }, `Draw on the picture, or drop an image on it. Every ${shape.height} \u00d7 ${shape.width} patch is coded by itself; nothing leaves this page.`),
    el("div", { class: "section-head" }, tabs("picture-mode", "Mode", coder.modes.map((name) => [name, name]), mode, (value) => { mode = value as Mode; all(); }), numbers),
    el("div", { class: "pictures" }, el("div", {}, ink.canvas, el("span", { class: "note" }, "the picture")), el("div", {}, restored, el("span", { class: "note" }, "decoded from its codes; each patch keeps its own mean"))),
    el("div", { class: "buttons" }, button("Clear", () => ink.clear()), button("Discs", () => ink.set(discs(width, height))),
      el("label", { class: "control" }, el("span", {}, "Open an image"), opener)), message, codes.element);
}
