// SPDX-License-Identifier: BSD-3-Clause
// A sample that is no picture, drawn as a curve over its features: drag, or choose a feature and its value by key.
import { signColour } from "./colours";
import { el } from "./dom";
import { number } from "./format";
import type { Shape } from "./shape";
import { onTheme, theme } from "./theme";

export class CurvePad {
  readonly canvas = el("canvas", { class: "pad curve-pad", tabindex: 0, role: "slider", "aria-valuemin": 0,
    "aria-label": "Values of the sample: left and right choose a feature, up and down change it" });
  readonly status = el("p", { class: "note status" });
  values: Float32Array;
  private chosen = 0;
  private last: [number, number] | null = null;

  constructor(private readonly shape: Shape, private readonly range: () => [number, number], private readonly changed: () => void) {
    this.values = new Float32Array(shape.width);
    this.canvas.setAttribute("aria-valuemax", String(shape.width - 1));
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.last = null;
      this.drag(event);
    });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons > 0) this.drag(event); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.paint()).observe(this.canvas);
    onTheme(() => this.paint());
  }

  private drag(event: PointerEvent): void {
    const rect = this.canvas.getBoundingClientRect();
    const n = this.values.length;
    const at = Math.max(0, Math.min(n - 1, Math.round(((event.clientX - rect.left) / rect.width) * n - 0.5)));
    const [low, high] = this.range();
    const value = high - Math.max(0, Math.min(1, (event.clientY - rect.top) / rect.height)) * (high - low);
    // Features that the hand jumped over are filled in.
    const [from, start] = this.last ?? [at, value];
    const steps = Math.abs(at - from);
    for (let i = 0; i <= steps; ++i) {
      const t = steps > 0 ? i / steps : 1;
      this.values[Math.round(from + (at - from) * t)] = start + (value - start) * t;
    }
    this.last = [at, value];
    this.chosen = at;
    this.paint();
    this.changed();
  }

  private key(event: KeyboardEvent): void {
    const [low, high] = this.range();
    const sides: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
    const values: Record<string, number> = { ArrowUp: 1, ArrowDown: -1 };
    if (sides[event.key] === undefined && values[event.key] === undefined) return;
    event.preventDefault();
    this.chosen = Math.max(0, Math.min(this.values.length - 1, this.chosen + (sides[event.key] ?? 0)));
    if (values[event.key] !== undefined) {
      this.values[this.chosen]! += (values[event.key]! * (high - low)) / 50;
      this.changed();
    }
    this.paint();
  }

  set(values: ArrayLike<number>): void {
    this.values.set(values);
    this.paint();
    this.changed();
  }

  paint(): void {
    const sharp = Math.min(2, devicePixelRatio || 1);
    const [w, h] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (w === 0) return;
    this.canvas.width = w * sharp;
    this.canvas.height = h * sharp;
    const context = this.canvas.getContext("2d")!;
    context.scale(sharp, sharp);
    const [low, high] = this.range();
    const y = (v: number): number => h - ((v - low) / (high - low || 1)) * h;
    const n = this.values.length;
    context.strokeStyle = theme().line;
    context.strokeRect(0, y(0), w, 0);
    if (this.shape.table) {
      this.values.forEach((v, j) => {
        context.fillStyle = signColour(v);
        context.fillRect(((j + 0.1) * w) / n, Math.min(y(0), y(v)), (0.8 * w) / n, Math.abs(y(v) - y(0)));
      });
    } else {
      context.strokeStyle = theme().ink;
      context.lineWidth = 1.5;
      context.beginPath();
      this.values.forEach((v, j) => context.lineTo(((j + 0.5) * w) / n, y(v)));
      context.stroke();
    }
    context.fillStyle = theme().warn;
    context.beginPath();
    context.arc(((this.chosen + 0.5) * w) / n, y(this.values[this.chosen]!), 4, 0, 7);
    context.fill();
    const words = `${this.shape.names[this.chosen]!} = ${number(this.values[this.chosen]!, 4)}`;
    this.status.textContent = words;
    this.canvas.setAttribute("aria-valuenow", String(this.chosen));
    this.canvas.setAttribute("aria-valuetext", words);
  }
}
