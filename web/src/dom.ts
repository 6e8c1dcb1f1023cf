// SPDX-License-Identifier: BSD-3-Clause
// Elements are made one by one and text only ever becomes text: no string of the report is read as markup.

export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function choice(label: string, options: [string, string][], chosen: string, changed: (value: string) => void) {
  const select = el("select", {}, ...options.map(([value, text]) => el("option", { value }, text)));
  select.value = chosen;
  select.addEventListener("change", () => changed(select.value));
  return { select, element: el("label", { class: "control" }, el("span", {}, label), select) };
}

export function button(text: string, pressed: () => void, attributes: Attributes = {}, ...children: Child[]): HTMLButtonElement {
  const element = el("button", { type: "button", ...attributes }, text, ...children);
  element.addEventListener("click", pressed);
  return element;
}

// A choice of one among few, all of them in sight.
export function tabs(name: string, label: string, options: [string, string][], chosen: string,
                     changed: (value: string) => void): HTMLElement {
  const inputs = options.map(([value, text]) => {
    const input = el("input", { type: "radio", name, value });
    input.checked = value === chosen;
    input.addEventListener("change", () => changed(value));
    return el("label", {}, input, el("span", {}, text));
  });
  return el("fieldset", { class: "tabs" }, el("legend", {}, label), ...inputs);
}

// A number in a list of facts.
export const fact = (term: string, value: string, note: string): HTMLElement =>
  el("div", {}, el("dt", {}, term), el("dd", {}, value), el("dd", { class: "note" }, note));

let lastId = 0;
export const freshId = (stem: string): string => `${stem}-${++lastId}`;
