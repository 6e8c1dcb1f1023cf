// SPDX-License-Identifier: BSD-3-Clause
// The encoders in the page give the codes of the command.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import * as zlib from "node:zlib";
import { close, open } from "./browser.mjs";
import { encode, file, models } from "./models.mjs";

const numbers = (text) => text.trim().split(",").map(Number);

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
  return readFileSync(await download.path(), "utf8");
}

// The sample in the page, and its codes, against the command's; the largest difference relative to the largest weight.
async function compare(page, model) {
  const sample = await saved(page, "Save sample");
  writeFileSync(file("drawn.csv"), sample);
  for (const mode of ["linear", "sparse", "corrected", "greedy"]) {
    await page.locator(`#figure-code input[value=${mode}]`).check();
    const code = numbers(await saved(page, "Save code"));
    const [expected] = encode(model, file("drawn.csv"), mode);
    const most = Math.max(1, ...expected.map(Math.abs));
    assert.equal(code.length, expected.length);
    code.forEach((u, i) => assert.ok(Math.abs(u - expected[i]) <= 1e-4 * most, `${mode}, atom ${i}: ${u} for ${expected[i]}`));
    assert.ok(code.some((u) => u !== 0), mode);
  }
  return numbers(sample);
}

async function drag(page, locator, points) {
  await locator.scrollIntoViewIfNeeded();
  const box = await locator.boundingBox();
  await page.mouse.move(box.x + points[0][0] * box.width, box.y + points[0][1] * box.height);
  await page.mouse.down();
  for (const [x, y] of points.slice(1)) await page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 6 });
  await page.mouse.up();
}

async function drop(page, selector, bytes, name, type) {
  const transfer = await page.evaluateHandle(([data, n, t]) => {
    const files = new DataTransfer();
    files.items.add(new File([new Uint8Array(data)], n, { type: t }));
    return files;
  }, [Array.from(bytes), name, type]);
  await page.dispatchEvent(selector, "drop", { dataTransfer: transfer });
}

// Old versions of node have no crc32 in zlib.
function checksum(bytes) {
  if (zlib.crc32) return zlib.crc32(bytes);
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; ++k) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function png(width, height, value) {
  const chunk = (kind, data) => {
    const body = Buffer.concat([Buffer.from(kind), data]);
    const ends = [Buffer.alloc(4), Buffer.alloc(4)];
    ends[0].writeUInt32BE(data.length);
    ends[1].writeUInt32BE(checksum(body));
    return Buffer.concat([ends[0], body, ends[1]]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Buffer.from(Array.from({ length: height }, (_, y) => [0, ...Array.from({ length: width }, (_, x) => value(y, x))]).flat());
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", zlib.deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

test("a digit drawn with the mouse gets the codes of `dualdict encode`", async () => {
  const { pages, models: paths } = models();
  const page = await open(pages.digits);
  await page.getByRole("button", { name: "Clear" }).click();
  await drag(page, page.locator(".pad"), [[0.25, 0.2], [0.75, 0.2], [0.45, 0.85]]);
  const sample = await compare(page, paths.digits);
  assert.equal(sample.length, 784);
  assert.ok(Math.max(...sample) > 250 && sample.filter((v) => v > 0).length > 40, "a line was drawn");
  for (const card of await page.locator(".mode-card").all()) assert.match(await card.innerText(), /median time\s+[\d.,]+ \u00b5s/);
  assert.ok((await page.locator("#figure-code .strong").count()) > 0);
  await close(page);
});

test("an image that is dropped on the page is coded as it is", async () => {
  const { pages, models: paths } = models();
  const page = await open(pages.digits);
  const value = (y, x) => (Math.abs(y - x) < 3 ? 255 - 20 * Math.abs(y - x) : (7 * y + x) % 16);
  await drop(page, ".try-pad", png(28, 28, value), "line.png", "image/png");
  await page.waitForFunction(() => document.querySelector(".pad").getContext("2d").getImageData(0, 0, 1, 1).data[0] === 255);
  await page.waitForTimeout(50);
  const sample = await compare(page, paths.digits);
  sample.forEach((v, i) => assert.ok(Math.abs(v - value(Math.floor(i / 28), i % 28)) < 1e-3, `pixel ${i}: ${v}`));
  await drop(page, ".try-pad", Buffer.from("not an image"), "bad.png", "image/png");
  await page.getByText("bad.png").waitFor();
  await close(page);
});

test("a curve dragged over features gets the codes of `dualdict encode`", async () => {
  const { pages, models: paths } = models();
  const page = await open(pages.rows);
  await drag(page, page.locator(".curve-pad"), [[0.1, 0.3], [0.5, 0.8], [0.9, 0.2]]);
  await page.waitForTimeout(50);
  await compare(page, paths.rows);
  await page.locator(".curve-pad").focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowUp");
  assert.match(await page.locator(".status").innerText(), /^(alcohol|acid|ash|sugar & salt|colour|hue|phenols) = /);
  await close(page);
});

test("a whole picture is coded patch by patch, and again where the pen was", async () => {
  const { pages } = models();
  const page = await open(pages.patches);
  const all = /^4,096 of 4,096 patches \u00b7 relative error (0\.\d+)/;
  const line = page.locator(".numbers-line");
  await page.waitForFunction(() => document.querySelector(".numbers-line").textContent.startsWith("4,096 of 4,096"));
  const before = (await line.innerText()).match(all)[1];
  await drag(page, page.locator(".pad"), [[0.2, 0.2], [0.8, 0.3], [0.4, 0.7]]);
  await page.waitForFunction((old) => !document.querySelector(".numbers-line").textContent.includes(`error ${old}`), before);
  await drop(page, ".pad", png(64, 64, (y, x) => 255 * ((y >> 3) + (x >> 3) & 1)), "board.png", "image/png");
  await page.waitForFunction(() => document.querySelector(".pad").getContext("2d").getImageData(500, 500, 1, 1).data[0] < 5);
  assert.match(await line.innerText(), all);
  await close(page);
});
