// SPDX-License-Identifier: BSD-3-Clause
// Every figure becomes a PNG and an SVG by one click.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { close, open } from "./browser.mjs";
import { models } from "./models.mjs";

for (const name of ["digits", "rows"])
  test(`${name}: every figure can be saved as PNG and as SVG`, async () => {
    const page = await open(models().pages[name]);
    const figures = await page.locator("figure").count();
    const buttons = page.getByRole("button", { name: /^Save .* as (PNG|SVG)$/ });
    assert.equal(await buttons.count(), 2 * figures);
    assert.ok(figures >= 9, `${figures} figures`);
    const texts = [];
    for (let i = 0; i < 2 * figures; ++i) {
      const [download] = await Promise.all([page.waitForEvent("download"), buttons.nth(i).click()]);
      const bytes = readFileSync(await download.path());
      if (download.suggestedFilename().endsWith(".png")) {
        assert.equal(bytes.subarray(1, 4).toString(), "PNG");
        assert.ok(bytes.readUInt32BE(16) >= 200 && bytes.readUInt32BE(20) >= 80, download.suggestedFilename());
      } else {
        texts.push([download.suggestedFilename(), bytes.toString()]);
      }
    }
    // An SVG must stand on its own: well-formed, with nothing to load.
    for (const [file, text] of texts) {
      const fault = await page.evaluate((source) => {
        const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
        if (parsed.querySelector("parsererror")) return "not well-formed";
        const links = Array.from(parsed.querySelectorAll("[href]"), (e) => e.getAttribute("href"));
        return links.every((link) => link.startsWith("data:image/png")) ? "" : "links elsewhere";
      }, text);
      assert.equal(fault, "", file);
    }
    await close(page);
  });
