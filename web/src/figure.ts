// SPDX-License-Identifier: BSD-3-Clause
// The frame around every figure: title, the drawing, a sentence that says what to see, PNG and SVG by one click.
import { button, el, freshId } from "./dom";
import { savePng, saveText, svgText } from "./export";
import { onTheme, theme } from "./theme";

export interface FigureOptions {
  name: string;  // of exported files
  title: string;
  caption?: string;
  controls?: HTMLElement[];
  // The figure as a drawing of its own, for export: at a given width in pixels.
  draw(width: number): SVGSVGElement;
  // What the page shows in its place; without it, the drawing itself, as wide as there is room.
  show?: HTMLElement;
}

export interface Figure {
  element: HTMLElement;
  redraw(): void;
  setCaption(text: string): void;
}

const exportWidth = 960;

export function figure(options: FigureOptions): Figure {
  const titleId = freshId("figure");
  const place = options.show ?? el("div", { class: "drawing" });
  const caption = el("figcaption", {}, options.caption ?? "");
  const file = (type: string): string => `dualdict-${options.name}.${type}`;
  const exported = () => {
    const drawing = options.draw(exportWidth);
    return { text: svgText(drawing, theme().card), width: size(drawing, "width"), height: size(drawing, "height") };
  };
  const exports = el("div", { class: "exports" },
    button("PNG", () => { const { text, width, height } = exported(); void savePng(file("png"), text, width, height); },
      { "aria-label": `Save ${options.title} as PNG`, class: "quiet" }),
    button("SVG", () => saveText(file("svg"), exported().text, "image/svg+xml"),
      { "aria-label": `Save ${options.title} as SVG`, class: "quiet" }));
  const element = el("figure", { "aria-labelledby": titleId, id: `figure-${options.name}` },
    el("div", { class: "figure-head" }, el("h3", { id: titleId }, options.title), ...(options.controls ?? []), exports),
    place, caption);

  let width = 0;
  const redraw = (): void => {
    if (options.show || width <= 0) return;
    const drawing = options.draw(width);
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-labelledby", titleId);
    place.replaceChildren(drawing);
  };
  if (!options.show) {
    new ResizeObserver(() => {
      const now = Math.floor(place.clientWidth);
      if (now === width) return;
      width = now;
      redraw();
    }).observe(place);
    onTheme(redraw);
  }
  return { element, redraw, setCaption: (text) => void (caption.textContent = text) };
}

const size = (drawing: SVGSVGElement, name: string): number => Number(drawing.getAttribute(name));
