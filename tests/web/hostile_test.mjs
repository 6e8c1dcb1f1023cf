// SPDX-License-Identifier: BSD-3-Clause
// No string of a report can add markup or script (P29): the element tree is that of a page of plain words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { close, newPage, open } from "./browser.mjs";
import { file, makePages } from "./models.mjs";

const tree = (page) => page.evaluate(() => {
  const walk = (element) => `${element.localName}[${element.getAttributeNames().sort()}](${Array.from(element.children, walk).join("")})`;
  return { tree: walk(document.documentElement), owned: window.owned === undefined, words: document.body.textContent.includes("plain words") };
});

test("200 hostile strings in every string slot change no element", async () => {
  const [strings, n] = makePages();
  assert.equal(strings, 200);
  assert.ok(n >= 40, `${n} pages`);
  const pages = await Promise.all([newPage(), newPage()]);
  await open(file("hostile-benign.html"), { page: pages[0] });
  const benign = await tree(pages[0]);
  assert.ok(benign.words);
  await Promise.all(pages.map(async (page, half) => {
    for (let i = half; i < n; i += 2) {
      await open(file(`hostile-${i}.html`), { page });
      const hostile = await tree(page);
      assert.equal(hostile.tree, benign.tree, `page ${i}`);
      assert.ok(hostile.owned, `page ${i} ran`);
    }
  }));
  for (const page of pages) await close(page);
});
