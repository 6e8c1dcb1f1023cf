// SPDX-License-Identifier: BSD-3-Clause
// A picture or a row of numbers from a file of the reader's. It stays in the page.

// As wide and as high as wanted; a picture of another shape is centred on black.
async function readPixels(file: Blob, width: number, height: number): Promise<Uint8ClampedArray> {
  const bitmap = await createImageBitmap(file);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.fillStyle = "black";
  context.fillRect(0, 0, width, height);
  const scale = Math.min(width / bitmap.width, height / bitmap.height);
  const w = bitmap.width * scale;
  const h = bitmap.height * scale;
  context.imageSmoothingEnabled = scale !== 1;
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, (width - w) / 2, (height - h) / 2, w, h);
  bitmap.close();
  return context.getImageData(0, 0, width, height).data;
}

// Red, green and blue of each pixel, 0 .. 1.
export async function readColours(file: Blob, width: number, height: number): Promise<Float32Array> {
  const data = await readPixels(file, width, height);
  return Float32Array.from({ length: 3 * width * height }, (_, j) => data[4 * Math.floor(j / 3) + (j % 3)]! / 255);
}

// Grey values 0 .. 1.
export async function readImage(file: Blob, width: number, height: number): Promise<Float32Array> {
  const data = await readPixels(file, width, height);
  const grey = new Float32Array(width * height);
  // The weights of the command's reader. A grey picture keeps its values exactly.
  for (let i = 0; i < grey.length; ++i) {
    const [r, g, b] = [data[4 * i]!, data[4 * i + 1]!, data[4 * i + 2]!];
    grey[i] = (r === g && g === b ? r : 0.299 * r + 0.587 * g + 0.114 * b) / 255;
  }
  return grey;
}

export async function readNumbers(file: Blob, n: number): Promise<Float32Array> {
  const lines = (await file.text()).split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  for (const line of lines) {
    const values = line.split(/[\s,;]+/).filter((field) => field !== "").map(Number);
    if (values.length === n && values.every(Number.isFinite)) return Float32Array.from(values);
  }
  throw new Error(`no line with ${n} numbers in this file`);
}

export function acceptFiles(place: HTMLElement, take: (file: File) => void): void {
  place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  });
}
