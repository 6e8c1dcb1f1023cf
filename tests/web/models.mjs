// SPDX-License-Identifier: BSD-3-Clause
// Three small models learned by the command, and their reports: digits, patches of images, rows of named features.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./browser.mjs";

const work = join(folder, "work");
mkdirSync(work, { recursive: true });
export const file = (name) => join(work, name);

export function run(...words) {
  return execFileSync(process.env.DUALDICT_COMMAND, words.map(String), { stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

// The same numbers everywhere.
export function generator(seed) {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

const side = 28;
// Strokes as a pen leaves them: two lines with soft edges.
function digit(random) {
  const pixels = new Uint8Array(side * side);
  const points = Array.from({ length: 3 }, () => [5 + 18 * random(), 5 + 18 * random()]);
  for (let i = 0; i + 1 < points.length; ++i)
    for (let y = 0; y < side; ++y)
      for (let x = 0; x < side; ++x) {
        const [[ax, ay], [bx, by]] = [points[i], points[i + 1]];
        const [dx, dy] = [bx - ax, by - ay];
        const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)));
        const ink = Math.max(0, Math.min(1, 1.8 - Math.hypot(x - ax - t * dx, y - ay - t * dy)));
        pixels[y * side + x] = Math.max(pixels[y * side + x], Math.round(255 * ink));
      }
  return pixels;
}

function writeDigits(path, n) {
  const random = generator(11);
  const head = Buffer.alloc(16);
  [0x803, n, side, side].forEach((value, i) => head.writeUInt32BE(value, 4 * i));
  writeFileSync(path, Buffer.concat([head, ...Array.from({ length: n }, () => Buffer.from(digit(random)))]));
}

export const featureNames = ["alcohol", "acid", "ash", "sugar & salt", "colour", "hue", "phenols"];
function writeRows(path, n) {
  const random = generator(5);
  const normal = () => random() + random() + random() + random() - 2;
  const atoms = Array.from({ length: 6 }, () => featureNames.map(normal));
  const rows = Array.from({ length: n }, () => {
    const used = [Math.floor(6 * random()), Math.floor(6 * random())].map((i) => [i, 2 * normal()]);
    return featureNames.map((_, j) => used.reduce((sum, [i, w]) => sum + w * atoms[i][j], 0.02 * normal()).toFixed(5));
  });
  writeFileSync(path, rows.map((row) => row.join(",")).join("\n") + "\n");
}

// Colour pictures in the order of NumPy: n x 8 x 8 x 3, bytes. Each is one of three coloured bars on a grey ground.
export const colourSide = 8;
const bars = [[255, 40, 40], [40, 220, 60], [60, 60, 255]];
export const colourLabels = (n) => Array.from({ length: n }, (_, i) => ["red", "green", "blue"][i % 3]);
function writeColours(path, n) {
  const random = generator(23);
  const values = new Uint8Array(n * colourSide * colourSide * 3);
  for (let i = 0; i < n; ++i) {
    const at = Math.floor(random() * colourSide);
    const strength = 0.4 + 0.6 * random();
    for (let y = 0; y < colourSide; ++y)
      for (let x = 0; x < colourSide; ++x)
        for (let c = 0; c < 3; ++c)
          values[((i * colourSide + y) * colourSide + x) * 3 + c] = 20 + 20 * random() + (x === at ? strength * bars[i % 3][c] * 0.8 : 0);
  }
  const text = `{'descr': '|u1', 'fortran_order': False, 'shape': (${n}, ${colourSide}, ${colourSide}, 3), }`;
  const header = text + " ".repeat(63 - ((10 + text.length) % 64)) + "\n";
  const start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  writeFileSync(path, Buffer.concat([start, Buffer.from(header), Buffer.from(values)]));
}

const few = ["--max-iterations", 12, "--rtol", "1e-2", "--quiet"];
function learned(name, input, options) {
  run("learn", input, "-o", file(`${name}.safetensors`), "--trace", file(`${name}.jsonl`), ...options, ...few);
  return file(`${name}.safetensors`);
}

let made = null;
export function models() {
  if (made) return made;
  writeDigits(file("digits.idx"), 500);
  writeRows(file("rows.csv"), 300);
  writeFileSync(file("features.txt"), featureNames.join("\n"));
  writeFileSync(file("samples.txt"), Array.from({ length: 300 }, (_, i) => `wine ${i}`).join("\n"));
  if (!existsSync(file("leaves"))) run("generate", "-o", file("leaves"), "--images", 4);
  writeColours(file("colours.npy"), 400);
  writeFileSync(file("colours.txt"), colourLabels(400).join("\n"));
  const colours = learned("colours", file("colours.npy"), ["--atoms", 30, "--scale", 255, "--center-features", "--nonzeros", 3]);
  const digits = learned("digits", file("digits.idx"), ["--atoms", 40, "--scale", 255, "--tau", 0.03, "--eta", 0.01]);
  const patches = learned("patches", file("leaves"), ["--patches", "8x8", "--samples", 2000, "--scale", 125, "--center-samples", "--atoms", 48, "--tau", 0.2]);
  const rows = learned("rows", file("rows.csv"), ["--atoms", 9, "--tau", 0.1]);
  const report = (name, ...words) => {
    run("report", file(`${name}.safetensors`), "--trace", file(`${name}.jsonl`), ...words, "-o", file(`${name}.html`));
    return file(`${name}.html`);
  };
  const pages = {
    colours: report("colours", "--data", file("colours.npy"), "--labels", file("colours.txt")),
    digits: report("digits", "--data", file("digits.idx")),
    patches: report("patches", "--data", file("leaves"), "--patches", "8x8", "--samples", 1000),
    rows: report("rows", "--data", file("rows.csv"), "--feature-names", file("features.txt"), "--sample-names", file("samples.txt")),
  };
  const info = (path) => JSON.parse(run("info", path, "--json"));
  made = { pages, models: { colours, digits, patches, rows }, info: { colours: info(colours), digits: info(digits), patches: info(patches), rows: info(rows) } };
  return made;
}

// Pages that no command can make; the numbers of hostile strings and of their pages. DUALDICT_PAYLOADS=1 gives every string a
// page of its own, which takes five times as long.
let madePages = null;
export const makePages = () => (madePages ??= execFileSync(process.env.DUALDICT_MAKE_PAGES, [work, process.env.DUALDICT_PAYLOADS ?? "5"])
  .toString().split(" ").map(Number));

// A float32 tensor of a model file, as rows.
export function tensor(path, name) {
  const bytes = readFileSync(path);
  const length = Number(bytes.readBigUInt64LE(0));
  const { shape, data_offsets, dtype } = JSON.parse(bytes.subarray(8, 8 + length).toString())[name];
  if (dtype !== "F32") throw new Error(`${name} is ${dtype}`);
  const values = new Float32Array(new Uint8Array(bytes.subarray(8 + length + data_offsets[0], 8 + length + data_offsets[1])).buffer);
  return Array.from({ length: shape[0] }, (_, i) => values.subarray(i * shape[1], (i + 1) * shape[1]));
}

// An npy matrix of float32, as rows.
export function readNpy(path) {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  const [rows, cols] = bytes.subarray(10, start).toString().match(/\((\d+), (\d+)\)/).slice(1).map(Number);
  const values = new Float32Array(new Uint8Array(bytes.subarray(start)).buffer);
  return Array.from({ length: rows }, (_, i) => values.subarray(i * cols, (i + 1) * cols));
}

export function encode(model, input, mode) {
  run("encode", model, input, "-o", file("codes.npy"), "--mode", mode, "--no-debias");
  return readNpy(file("codes.npy"));
}
