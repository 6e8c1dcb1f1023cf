// SPDX-License-Identifier: BSD-3-Clause
// Code one sample as it is drawn, in every mode of the page, and show what comes back.
import { largest } from "./colours";
import { drawCode } from "./code_figure";
import { sheet } from "./chart";
import { button, choice, el, tabs } from "./dom";
import { colourInput } from "./colour_input";
import { type Coder, type Mode, nonzeros, relativeError } from "./encode";
import { saveText } from "./export";
import { figure } from "./figure";
import { median, number } from "./format";
import { glyph, glyphSize } from "./glyph";
import { acceptFiles } from "./image_file";
import type { Report, Tensors } from "./report";
import { curveInput, pixelInput } from "./sample_input";
import type { Shape } from "./shape";
import { onTheme } from "./theme";

const words: Record<Mode, string> = { linear: "one product, dense", sparse: "one product and a threshold", corrected: "once more, knowing the first code",
  hard: "one product, one threshold for all", greedy: "atom by atom, while it is worth the price" };

// The time of one call, in microseconds: browsers blur their clocks, so that one call is too short to be timed.
export function timed(call: () => void, milliseconds: number): number {
  const start = performance.now();
  let n = 0;
  let now = start;
  do {
    call();
    ++n;
    now = performance.now();
  } while (now - start < milliseconds);
  return (1e3 * (now - start)) / n;
}

const runs = 5;

class ModeCard {
  private readonly place = el("div", { class: "restored" });
  private readonly facts = { nonzeros: el("dd"), error: el("dd"), time: el("dd") };
  readonly element: HTMLElement;
  private times: number[] = [];  // of a code, in microseconds; measured when the hand rests
  code: Float32Array;

  constructor(readonly mode: Mode, private readonly shape: Shape, nAtoms: number) {
    this.code = new Float32Array(nAtoms);
    this.element = el("div", { class: "mode-card", "data-mode": mode }, el("h4", {}, mode, el("span", { class: "note" }, words[mode])), this.place,
      el("dl", { class: "numbers" }, el("dt", {}, "nonzeros"), this.facts.nonzeros, el("dt", {}, "error"), this.facts.error, el("dt", {}, "median time"), this.facts.time));
  }

  update(coder: Coder, x: Float32Array, budget: number): void {
    coder.encode(this.mode, x, this.code);
    if (budget > 0) this.times = Array.from({ length: runs }, () => timed(() => void coder.encode(this.mode, x, this.code), budget / runs));
    const decoded = coder.decode(this.mode, this.code);
    this.facts.nonzeros.textContent = `${nonzeros(this.code)} of ${this.code.length}`;
    this.facts.error.textContent = number(relativeError(x, decoded));
    this.facts.time.textContent = `${this.times.length > 0 ? number(median(this.times), 2) : "\u2013"} \u00b5s`;
    const box = glyphSize(this.shape, this.shape.picture ? 140 : 72);
    const drawing = sheet(box.width + 2, box.height + 2);
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", `what the ${this.mode} code gives back`);
    drawing.append(glyph(this.shape, decoded, { x: 1, y: 1, ...box }, Math.max(largest(x), largest(decoded))));
    this.place.replaceChildren(drawing);
  }
}

export function trySample(report: Report, tensors: Tensors, shape: Shape, coder: Coder): HTMLElement {
  const dictionary = tensors.floats("dictionary")!;
  const gallery = tensors.floats("gallery");
  const cards = coder.modes.map((mode) => new ModeCard(mode, shape, dictionary.rows));
  let mode: Mode = coder.usual;
  const card = (): ModeCard => cards.find((one) => one.mode === mode)!;
  const codes = figure({
    name: "code", title: "The code", caption: "The weights of all atoms, and the atoms that the sample is made of.",
    controls: [tabs("try-mode", "Mode", coder.modes.map((name) => [name, name]), mode, (value) => { mode = value as Mode; codes.redraw(); })],
    draw: (width) => drawCode(width, shape, dictionary, card().code),
  });

  let waiting = false;
  let still = 0;
  const code = (budget: number): void => {
    const { values } = coder.prepare(input.raw());
    for (const one of cards) one.update(coder, values, budget);
  };
  const changed = (): void => {
    clearTimeout(still);
    still = window.setTimeout(() => code(10), 250);
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; code(0); codes.redraw(); });
  };
  const input = shape.channels > 1 ? colourInput(report, shape, changed)
    : shape.picture ? pixelInput(report, shape, changed) : curveInput(report, shape, changed);
  const message = el("p", { class: "note", role: "status" });
  const read = (file: File): void => {
    message.textContent = "";
    input.read(file).catch((error: unknown) => void (message.textContent = `${file.name}: ${error instanceof Error ? error.message : "cannot be read"}`));
  };
  const opener = el("input", { type: "file", accept: shape.picture ? "image/*" : ".csv,.txt,text/plain", class: "file", "aria-label": "Open a file" });
  opener.addEventListener("change", () => { const file = opener.files?.[0]; if (file) read(file); });

  const names = report.data?.gallery.names ?? [];
  const picker = gallery && names.length > 0
    ? choice("Start from", [["", "\u2013"], ...names.map((name, i): [string, string] => [String(i), name])], "", (value) => {
        if (value !== "") input.set(gallery.row(Number(value)));
      }).element
    : null;
  const pad = el("div", { class: "try-pad" }, input.element,
    el("div", { class: "buttons" }, ...input.buttons,
      button("Save sample", () => saveText("dualdict-sample.csv", `${Array.from(input.raw()).join(",")}\n`)),
      button("Save code", () => saveText("dualdict-code.csv", `${Array.from(card().code).join(",")}\n`))),
    picker, el("label", { class: "control" }, el("span", {}, shape.picture ? "Open an image" : "Open a row of numbers"), opener), message);
  acceptFiles(pad, read);
  onTheme(() => code(0));
  if (gallery && gallery.rows > 0) input.set(gallery.row(0));
  else input.clear();
  return el("div", {}, el("p", { class: "hint" }, shape.channels > 1
    ? "Choose a sample, or drop an image file on the picture. Nothing leaves this page."
    : shape.picture
    ? "Draw with the mouse or a finger, or drop an image file on the drawing area. Nothing leaves this page."
    : `Drag the ${shape.table ? "bars" : "curve"}, or drop a file with a row of numbers on it. Nothing leaves this page.`),
    el("div", { class: "try" }, pad, el("div", { class: "mode-cards" }, ...cards.map((one) => one.element))), codes.element);
}
