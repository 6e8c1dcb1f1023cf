// SPDX-License-Identifier: BSD-3-Clause
// The atoms and their duals side by side: sorted, zoomed, looked at one by one.
import { atomInAddress, keepAtom } from "./address";
import { atomFilter } from "./atom_filter";
import { sheet, text } from "./chart";
import { type Palette, setPalette } from "./colours";
import { describe, detail } from "./detail";
import { choice, el, svg } from "./dom";
import { figure } from "./figure";
import { type Kind, bestZoom, layout, zooms } from "./layout";
import { paintMosaic } from "./mosaic";
import { type Order, orders, sorted } from "./order";
import { Panel } from "./panel";
import type { Report, Tensors } from "./report";
import type { Shape } from "./shape";
import { onTheme, theme } from "./theme";

export function atomsSection(report: Report, tensors: Tensors, shape: Shape): HTMLElement {
  const dictionary = tensors.floats("dictionary")!;
  const dual = tensors.floats("dual")!;
  const n = dictionary.rows;
  const lines: [Kind, string] = shape.table ? ["bars", "bars"] : ["curve", "curves"];
  let kind: Kind = shape.picture ? "picture" : dictionary.cols <= 256 ? lines[0] : "strip";
  let order = sorted(report, "use");
  let zoom = 0;
  let picked = 0;  // an atom, not a place
  let shown = -1;

  const side = el("div", { class: "detail" });
  const showDetail = (atom: number): void => {
    if (atom === shown) return;
    shown = atom;
    side.replaceChildren(...detail(report, tensors, shape, atom, jump));
  };
  const mark = (position: number): void => {
    for (const panel of panels) panel.show(position);
    showDetail(order[position]!);
  };
  const pick = (atom: number): void => {
    picked = atom;
    keepAtom(atom);
    mark(order.indexOf(atom));
  };
  const events = {
    point: (position: number | null) => mark(position ?? order.indexOf(picked)),
    pick: (position: number) => pick(order[position]!),
    describe: (position: number) => describe(report, order[position]!),
  };
  const panels = [new Panel("Atoms", "the columns of D", events), new Panel("Duals", "the rows of C", events)];
  // What is scrolled in one is scrolled in the other.
  const [left, right] = panels.map((panel) => panel.box) as [HTMLElement, HTMLElement];
  left.addEventListener("scroll", () => void (right.scrollTop = left.scrollTop));
  right.addEventListener("scroll", () => void (left.scrollTop = right.scrollTop));

  const room = (): number => left.clientWidth;
  let by: Order = "use";
  const arrange = (): void => {
    const left = sorted(report, by).filter((atom) => filter.accepts(atom));
    filter.tell(left.length);
    order = left.length > 0 ? left : sorted(report, by);
    if (!order.includes(picked)) picked = order[0]!;
    paint();
  };
  // A filter that hides the atom one asks for is taken away.
  const jump = (atom: number): void => {
    if (!order.includes(atom)) {
      filter.clear();
      arrange();
    }
    pick(atom);
    for (const panel of panels) panel.reveal();
  };
  const filter = atomFilter(report, arrange, jump);
  const zoomInput = el("input", { type: "range", min: 0, max: zooms.length - 1, step: 1 });
  const paint = (): void => {
    if (room() <= 0) return;
    if (zoom === 0) zoom = bestZoom(kind, shape, n, room());
    zoomInput.value = String(zooms.indexOf(zoom));
    zoomInput.setAttribute("aria-valuetext", `${zoom} times`);
    const place = layout(kind, shape, n, zoom, room());
    panels[0]!.paint(dictionary, order, shape, place);
    panels[1]!.paint(dual, order, shape, place);
    mark(order.indexOf(picked));
    if (performance.getEntriesByName("atoms-drawn").length === 0) performance.mark("atoms-drawn");
  };
  zoomInput.addEventListener("input", () => { zoom = zooms[Number(zoomInput.value)]!; paint(); });
  const recolour = (): void => { shown = -1; paint(); };

  const controls = [
    choice("Sort by", orders, "use", (value) => { by = value as Order; arrange(); pick(order[0]!); }).element,
    el("label", { class: "control" }, el("span", {}, "Zoom"), zoomInput),
    shape.picture ? null : choice("As", [lines, ["strip", "heat strips"]], kind, (value) => {
      kind = value as Kind;
      zoom = 0;
      paint();
    }).element,
    choice("Colours", [["signed", "sign"], ["grey", "grey"]], "signed", (value) => setPalette(value as Palette)).element,
  ].filter((element): element is HTMLLabelElement => element !== null);

  const show = el("div", {}, filter.element, el("div", { class: "atoms" }, ...panels.map((panel) => panel.element), side));
  const result = figure({
    name: "atoms", title: "Atoms and their duals", controls, show,
    caption: "Each tile is scaled to its own largest value. Point at a tile for its numbers, click to keep it; the arrow keys move too.",
    draw: (width) => {
      const place = layout(kind, shape, n, zoom || 1, kind === "strip" ? width / 2 - 20 : room());
      const drawing = sheet(2 * place.width + 20, place.height + 28);
      [dictionary, dual].forEach((values, i) => {
        const canvas = el("canvas");
        paintMosaic(canvas, values, order, shape, place);
        const x = i * (place.width + 20);
        drawing.append(text(x, 16, i === 0 ? "Atoms" : "Duals", "start", theme().ink, 14),
          svg("image", { x, y: 28, width: place.width, height: place.height, href: canvas.toDataURL("image/png"),
            preserveAspectRatio: "none", "image-rendering": kind === "picture" || kind === "strip" ? "pixelated" : "auto" }));
      });
      return drawing;
    },
  });
  picked = atomInAddress(n) ?? order[0]!;
  addEventListener("hashchange", () => {
    const atom = atomInAddress(n);
    if (atom !== null) jump(atom);
  });
  let width = -1;
  new ResizeObserver(() => {
    if (room() === width) return;
    width = room();
    paint();
    for (const panel of panels) panel.reveal();
  }).observe(left);
  onTheme(recolour);
  return el("section", { id: "atoms", "aria-label": "Atoms and their duals" }, result.element);
}
