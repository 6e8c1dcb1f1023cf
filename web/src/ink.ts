// SPDX-License-Identifier: BSD-3-Clause
// A pen on a grid of values 0 .. 1: with the mouse, a finger, or the keys.
import { el } from "./dom";

export interface InkEvents {
  // Values in these rows and columns have changed (last ones excluded).
  changed(top: number, bottom: number, left: number, right: number): void;
}

export class Ink {
  readonly canvas = el("canvas", { class: "pixels pad", tabindex: 0, role: "application", "aria-roledescription": "drawing area",
    "aria-label": "Draw here. Arrow keys move the pen, holding shift draws." });
  values: Float32Array;
  private last: [number, number] | null = null;
  private pen: [number, number];

  constructor(public width: number, public height: number, private readonly radius: number, private readonly events: InkEvents) {
    this.values = new Float32Array(width * height);
    this.pen = [width / 2, height / 2];
    this.canvas.width = width;
    this.canvas.height = height;
    const at = (event: PointerEvent): [number, number] => {
      const rect = this.canvas.getBoundingClientRect();
      return [((event.clientX - rect.left) / rect.width) * this.width, ((event.clientY - rect.top) / rect.height) * this.height];
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.last = at(event);
      this.stroke(this.last, this.last);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.last) return;
      // A fast hand leaves more points than frames.
      const all = event.getCoalescedEvents?.() ?? [];
      for (const one of all.length > 0 ? all : [event]) {
        const to = at(one);
        this.stroke(this.last, to);
        this.last = to;
      }
    });
    for (const end of ["pointerup", "pointercancel"] as const) this.canvas.addEventListener(end, () => void (this.last = null));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const step = Math.max(1, this.radius);
    const moves: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const to: [number, number] = [Math.max(0, Math.min(this.width, this.pen[0] + move[0])), Math.max(0, Math.min(this.height, this.pen[1] + move[1]))];
    if (event.shiftKey) this.stroke(this.pen, to);
    this.pen = to;
  }

  // A line with a soft edge of one pixel; ink on ink stays ink.
  stroke(from: [number, number], to: [number, number]): void {
    const reach = this.radius + 1;
    const left = Math.max(0, Math.floor(Math.min(from[0], to[0]) - reach));
    const right = Math.min(this.width, Math.ceil(Math.max(from[0], to[0]) + reach));
    const top = Math.max(0, Math.floor(Math.min(from[1], to[1]) - reach));
    const bottom = Math.min(this.height, Math.ceil(Math.max(from[1], to[1]) + reach));
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = dx * dx + dy * dy;
    for (let y = top; y < bottom; ++y)
      for (let x = left; x < right; ++x) {
        const [px, py] = [x + 0.5 - from[0], y + 0.5 - from[1]];
        const t = length > 0 ? Math.max(0, Math.min(1, (px * dx + py * dy) / length)) : 0;
        const distance = Math.hypot(px - t * dx, py - t * dy);
        const ink = Math.max(0, Math.min(1, this.radius + 0.5 - distance));
        const i = y * this.width + x;
        if (ink > this.values[i]!) this.values[i] = ink;
      }
    this.events.changed(top, bottom, left, right);
  }

  set(values: ArrayLike<number>): void {
    this.values.set(values);
    this.events.changed(0, this.height, 0, this.width);
  }
  clear(): void {
    this.values.fill(0);
    this.events.changed(0, this.height, 0, this.width);
  }
}

// Values lowest .. highest as grey, black to white: what a camera saw, not signs of numbers.
export function showGrey(canvas: HTMLCanvasElement, values: ArrayLike<number>, width: number, height: number, lowest: number, highest: number,
                         part: { top: number; bottom: number; left: number; right: number } = { top: 0, bottom: height, left: 0, right: width }): void {
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const [w, h] = [part.right - part.left, part.bottom - part.top];
  if (w <= 0 || h <= 0) return;
  // Pixels go in and out here, nothing is drawn: memory suits that better than the graphics card.
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  const image = context.createImageData(w, h);
  const factor = highest > lowest ? 255 / (highest - lowest) : 0;
  for (let y = 0; y < h; ++y)
    for (let x = 0; x < w; ++x) {
      const grey = (values[(part.top + y) * width + part.left + x]! - lowest) * factor;
      const at = 4 * (y * w + x);
      image.data[at] = image.data[at + 1] = image.data[at + 2] = grey;
      image.data[at + 3] = 255;
    }
  context.putImageData(image, part.left, part.top);
}
