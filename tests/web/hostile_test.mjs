// SPDX-License-Identifier: BSD-3-Clause
// No string of a report can add markup or script (P29): the element tree is that of a page of plain words.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { close, newPage, open } from "./browser.mjs";
import { file } from "./models.mjs";

let count = null;
export const makePages = () => (count ??= Number(execFileSync(process.env.DUALDICT_MAKE_PAGES, [file(".")]).toString()));

const tree = (page) => page.evaluate(() => {
  const walk = (element) => `${element.localName}[${element.getAttributeNames().sort()}](${Array.from(element.children, walk).join("")})`;
  return { tree: walk(document.documentElement), owned: window.owned === undefined, words: document.body.textContent.includes("plain words") };
});

test("200 hostile strings in every string slot change no element", async () => {
  assert.equal(makePages(), 200);
  const pages = await Promise.all([newPage(), newPage()]);
  await open(file("hostile-benign.html"), { page: pages[0] });
  const benign = await tree(pages[0]);
  assert.ok(benign.words);
  await Promise.all(pages.map(async (page, half) => {
    for (let i = half; i < 200; i += 2) {
      await open(file(`hostile-${i}.html`), { page });
      const hostile = await tree(page);
      assert.equal(hostile.tree, benign.tree, `payload ${i}`);
      assert.ok(hostile.owned, `payload ${i} ran`);
    }
  }));
  for (const page of pages) await close(page);
});
