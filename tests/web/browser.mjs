// SPDX-License-Identifier: BSD-3-Clause
// The one browser, and pages that are watched: no error on the console, nothing asked of anyone.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

export const folder = process.env.DUALDICT_PAGE_FOLDER;
export const require = createRequire(join(folder, "package.json"));
const { chromium } = require("playwright-core");

let started = null;
export const browser = () => (started ??= chromium.launch({
  executablePath: process.env.DUALDICT_CHROMIUM,
  // Root may not use the sandbox; a graphics processor, which is made up here, only costs time.
  args: ["--disable-gpu", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
}));
export const closeBrowser = async () => { if (started) await (await started).close(); };

const desktop = { width: 1280, height: 900 };
export const sizes = { desktop, phone: { width: 390, height: 844 } };

export async function newPage(options = {}) {
  const context = await (await browser()).newContext({ viewport: desktop, acceptDownloads: true, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);  // other tests run beside
  page.problems = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) page.problems.push(message.text()); });
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("dialog", (dialog) => { page.problems.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && request.url() !== page.opened) page.problems.push(`request: ${request.url()}`);
  });
  return page;
}

export async function open(path, options) {
  const page = options?.page ?? (await newPage(options));
  page.opened = `file://${path}`;
  await page.goto(page.opened);
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
  return page;
}

export async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

// Pictures to look at, in the folder that DUALDICT_SCREENSHOTS names; they take longer than the tests.
const shots = process.env.DUALDICT_SCREENSHOTS;
if (shots) mkdirSync(shots, { recursive: true });
export async function photograph(page, name) {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}
