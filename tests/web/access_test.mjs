// SPDX-License-Identifier: BSD-3-Clause
// axe finds no serious fault of accessibility, in either theme.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { close, open, require, sizes } from "./browser.mjs";
import { models } from "./models.mjs";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

for (const name of ["colours", "digits", "patches", "rows"])
  test(`${name}: no serious fault of accessibility`, async () => {
    const page = await open(models().pages[name], { viewport: name === "patches" || name === "colours" ? sizes.phone : sizes.desktop });
    await page.evaluate(axe);
    for (const scheme of name === "digits" ? ["light", "dark"] : ["dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 120))]), []);
    }
    await close(page);
  });
