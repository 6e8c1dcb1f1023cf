// SPDX-License-Identifier: BSD-3-Clause
// Files out of the page, made in the page.

export function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const saveText = (name: string, text: string, type = "text/csv"): void =>
  save(name, new Blob([text], { type: `${type};charset=utf-8` }));

// A drawing with its own background, so that it looks the same in any document.
export function svgText(drawing: SVGSVGElement, background: string): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.removeAttribute("class");
  const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: background }))
    rect.setAttribute(name, value);
  copy.insertBefore(rect, copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

// Twice the size on the screen: sharp in print.
export async function savePng(name: string, text: string, width: number, height: number): Promise<void> {
  const image = new Image();
  await new Promise((done, fail) => {
    image.onload = done;
    image.onerror = fail;
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
  const scale = Math.min(2, 16_000 / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save(name, blob);
}
