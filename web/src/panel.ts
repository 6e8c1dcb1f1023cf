// SPDX-License-Identifier: BSD-3-Clause
// One mosaic in a box that scrolls, with a mark on the atom in focus. To a keyboard or a screen reader it is a slider
// over the atoms.
import { el } from "./dom";
import { type Layout, tileAt } from "./layout";
import { paintMosaic } from "./mosaic";
import type { Table } from "./report";
import type { Shape } from "./shape";

export interface PanelEvents {
  point(position: number | null): void;  // the mouse is over this place in the order
  pick(position: number): void;          // clicked, or reached by key
  describe(position: number): string;
}

export class Panel {
  readonly canvas = el("canvas");
  readonly element: HTMLElement;
  readonly box: HTMLElement;
  private readonly mark = el("div", { class: "mark", hidden: true });
  private place: Layout | null = null;
  private n = 0;
  private position = 0;

  constructor(name: string, note: string, private readonly events: PanelEvents) {
    const surface = el("div", {
      class: "surface", tabindex: 0, role: "slider", "aria-label": `${name}: choose with the arrow keys`,
      "aria-valuemin": 1, "aria-valuenow": 1, "aria-orientation": "horizontal" }, this.canvas, this.mark);
    this.box = el("div", { class: "scroll" }, surface);
    this.element = el("div", { class: "panel" }, el("h4", {}, name, el("span", { class: "note" }, note)), this.box);
    const at = (event: MouseEvent): number | null => {
      const rect = this.canvas.getBoundingClientRect();
      return this.place ? tileAt(this.place, this.n, event.clientX - rect.left, event.clientY - rect.top) : null;
    };
    surface.addEventListener("pointermove", (event) => events.point(at(event)));
    surface.addEventListener("pointerleave", () => events.point(null));
    surface.addEventListener("click", (event) => { const i = at(event); if (i !== null) events.pick(i); });
    surface.addEventListener("keydown", (event) => this.key(event));
    this.surface = surface;
  }
  private readonly surface: HTMLElement;

  private key(event: KeyboardEvent): void {
    if (!this.place) return;
    const steps: Record<string, number> = {
      ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.place.columns, ArrowUp: -this.place.columns,
      Home: -this.n, End: this.n, PageDown: 5 * this.place.columns, PageUp: -5 * this.place.columns };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.events.pick(Math.max(0, Math.min(this.n - 1, this.position + step)));
    this.reveal();
  }

  paint(atoms: Table<Float32Array>, order: number[], shape: Shape, place: Layout): void {
    this.place = place;
    this.n = order.length;
    paintMosaic(this.canvas, atoms, order, shape, place);
    this.canvas.classList.toggle("pixels", place.kind === "picture" || place.kind === "strip");
    this.surface.setAttribute("aria-valuemax", String(this.n));
    this.show(this.position);
  }

  show(position: number): void {
    if (!this.place) return;
    this.position = position;
    const { columns, stepX, stepY } = this.place;
    const style = this.mark.style;
    this.mark.hidden = false;
    style.left = `${(position % columns) * stepX}px`;
    style.top = `${Math.floor(position / columns) * stepY}px`;
    style.width = `${stepX}px`;
    style.height = `${stepY}px`;
    this.surface.setAttribute("aria-valuenow", String(position + 1));
    this.surface.setAttribute("aria-valuetext", this.events.describe(position));
  }

  reveal(): void {
    if (!this.place) return;
    const top = Math.floor(this.position / this.place.columns) * this.place.stepY;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const bottom = top + this.place.stepY - this.box.clientHeight;
    if (bottom > this.box.scrollTop) this.box.scrollTop = bottom;
  }
}
