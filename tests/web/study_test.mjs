// SPDX-License-Identifier: BSD-3-Clause
// For those who study a dictionary: colours, ways to an atom, who uses it, what is like it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { close, open, sizes } from "./browser.mjs";
import { colourLabels, colourSide, encode, featureNames, file, models, tensor } from "./models.mjs";

const number = (text) => Number(text.replace(/\u2212/g, "-").replace(/[+,%]/g, ""));
const head = (page) => page.locator(".detail h4").innerText();
const values = (page) => page.locator(".panel").first().getByRole("slider").getAttribute("aria-valuemax").then(Number);
const address = (page) => page.evaluate(() => location.hash);

test("colours: tiles have the channels of the model, mid-grey where it is zero", async () => {
  const { pages, models: paths, info } = models();
  assert.deepEqual([info.colours.shape.sample_height, info.colours.shape.sample_width, info.colours.shape.sample_channels], [8, 8, 3]);
  const page = await open(pages.colours);
  await page.getByLabel("Sort by").selectOption("index");
  for (const [panel, name] of [[0, "dictionary"], [1, "dual"]]) {
    const rows = tensor(paths.colours, name);
    const { pixels, width } = await page.locator(".panel canvas").nth(panel).evaluate((canvas) => ({
      pixels: Array.from(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data), width: canvas.width }));
    const columns = width / (colourSide + 1);
    for (const atom of [0, 1, rows.length - 1]) {
      const most = Math.max(...rows[atom].map(Math.abs));
      const zero = rows[atom].some((v) => v < 0) ? 127.5 : 0;
      rows[atom].forEach((v, j) => {
        const [pixel, channel] = [Math.floor(j / 3), j % 3];
        const y = Math.floor(atom / columns) * (colourSide + 1) + Math.floor(pixel / colourSide);
        const x = (atom % columns) * (colourSide + 1) + (pixel % colourSide);
        const expected = zero + ((255 - zero) * v) / most;
        assert.ok(Math.abs(pixels[4 * (y * width + x) + channel] - expected) <= 1, `atom ${atom}, value ${j}`);
      });
    }
  }
  await page.locator("#try .mode-card").first().waitFor();
  await close(page);
});

test("an atom is reached by its number and by a link, which keeps it", async () => {
  const { pages, info } = models();
  const page = await open(pages.digits);
  const jump = page.getByLabel("Go to atom");
  await jump.fill("17");
  await jump.press("Enter");
  assert.equal(await head(page), "Atom 17");
  assert.equal(await address(page), "#atom=17");
  await jump.fill(String(info.digits.shape.n_atoms));
  await jump.press("Enter");
  assert.match(await head(page), /^Atom 17/);
  await page.locator(".panel canvas").first().click({ position: { x: 5, y: 5 } });
  const clicked = Number((await head(page)).match(/\d+/)[0]);
  assert.equal(await address(page), `#atom=${clicked}`);
  await page.evaluate(() => { location.hash = "#atom=3"; });
  await page.waitForFunction(() => document.querySelector(".detail h4").textContent.startsWith("Atom 3"));
  // Somebody else opens the link; nonsense shows what is shown without it.
  for (const [hash, shown] of [["#atom=23", "Atom 23"], ["#atom=999999", null], ["#atom=-1", null], ["#atom=<b>", null]]) {
    await page.goto("about:blank");
    await page.goto(page.opened + hash);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
    if (shown) assert.match(await head(page), new RegExp(`^${shown}\\b`));
    else assert.match(await head(page), /^Atom \d+/);
  }
  page.problems.length = 0;  // the watcher takes an address with a state for another page
  await close(page);
});

test("atoms are filtered by use and coherence", async () => {
  const { pages, info, models: paths } = models();
  const page = await open(pages.digits);
  const { usage } = info.digits;
  const limit = usage.slice().sort((a, b) => b - a)[9];
  await page.getByLabel("Used by at least").fill(String(limit));
  const wanted = usage.filter((u) => u >= limit).length;
  assert.equal(await values(page), wanted);
  assert.match(await page.locator(".atom-filter .note").innerText(), new RegExp(`^${wanted} of ${usage.length} atoms`));
  const atoms = tensor(paths.digits, "dictionary");
  const coherence = atoms.map((a, i) => Math.max(...atoms.map((b, j) =>
    (i === j ? 0 : Math.abs(a.reduce((s, v, k) => s + v * b[k], 0)) / (Math.hypot(...a) * Math.hypot(...b))))));
  const middle = coherence.slice().sort((a, b) => b - a)[20] - 1e-4;
  await page.getByLabel("Coherence at least").fill(middle.toFixed(5));
  assert.equal(await values(page), usage.filter((u, i) => u >= limit && coherence[i] >= middle).length);
  // One that is hidden can still be asked for.
  const hidden = usage.findIndex((u) => u < limit);
  await page.getByLabel("Go to atom").fill(String(hidden));
  await page.getByLabel("Go to atom").press("Enter");
  assert.match(await head(page), new RegExp(`^Atom ${hidden}\\b`));
  assert.equal(await values(page), usage.length);
  await page.getByLabel("Coherence at least").fill("1");
  assert.match(await page.locator(".atom-filter .note").innerText(), /^No atom is like that/);
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await values(page), usage.length);
  await close(page);
});

test("all samples that use an atom, their weights and classes, and the atoms like it", async () => {
  const { pages, models: paths } = models();
  const page = await open(pages.colours);
  const codes = encode(paths.colours, file("colours.npy"), "greedy");
  const atoms = tensor(paths.colours, "dictionary");
  const labels = colourLabels(codes.length);
  const atom = atoms.findIndex((_, k) => { const n = codes.filter((u) => u[k] !== 0).length; return n > 6 && n <= 200; });
  assert.ok(atom >= 0);
  await page.getByLabel("Go to atom").fill(String(atom));
  await page.getByLabel("Go to atom").press("Enter");
  const users = codes.map((u, i) => [i, u[atom]]).filter(([, u]) => u !== 0).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || a[0] - b[0]);
  await page.locator(".all-uses summary").click();
  await page.locator(".all-uses li").first().waitFor();  // they are made when it opens
  const listed = await page.locator(".all-uses li").evaluateAll((all) => all.map((li) => [Number(li.dataset.sample), li.querySelector(".value").textContent, li.querySelector(".name").textContent]));
  assert.deepEqual(listed.map(([sample]) => sample), users.map(([i]) => i));
  listed.forEach(([sample, weight, name], i) => {
    assert.equal(name, `sample ${sample}`);
    assert.ok(Math.abs(number(weight) - users[i][1]) <= 0.06 * Math.abs(users[i][1]) + 1e-3, `${weight} for ${users[i][1]}`);
  });
  assert.ok((await page.locator(".detail .users:not(.neighbours) svg").count()) > 0, "samples as pictures");
  const bars = await page.locator(".detail svg[aria-label^='Histogram'] rect").count();
  assert.ok(bars > 0 && bars <= 24);
  const classes = await page.locator(".classes li").evaluateAll((all) => all.map((li) => [li.querySelector(".name").textContent, li.querySelector(".value").textContent]));
  const counts = {};
  for (const [i] of users) counts[labels[i]] = (counts[labels[i]] ?? 0) + 1;
  assert.deepEqual(new Set(classes.map(([label]) => label)), new Set(Object.keys(counts)));
  for (const [label, share] of classes) assert.ok(Math.abs(number(share) - (100 * counts[label]) / users.length) < 0.6, `${label} ${share}`);
  const norm = (a) => Math.hypot(...a);
  const cosines = atoms.map((b, k) => [k, b.reduce((s, v, j) => s + v * atoms[atom][j], 0) / (norm(b) * norm(atoms[atom]))])
    .filter(([k, c]) => k !== atom && Number.isFinite(c)).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const near = page.locator(".neighbours button");
  assert.equal(Number((await near.first().locator(".name").innerText()).match(/\d+/)[0]), cosines[0][0]);
  await near.first().click();
  assert.match(await head(page), new RegExp(`^Atom ${cosines[0][0]}\\b`));
  await close(page);
});

test("rows: samples by their names, and an atom as CSV", async () => {
  const { pages, models: paths } = models();
  const page = await open(pages.rows, { permissions: ["clipboard-read", "clipboard-write"], viewport: sizes.phone });
  await page.getByLabel("Go to atom").fill("2");
  await page.getByLabel("Go to atom").press("Enter");
  assert.match(await page.locator(".detail .users:not(.neighbours) .name").first().innerText(), /^wine \d+$/);
  const [atom, dual] = ["dictionary", "dual"].map((name) => tensor(paths.rows, name)[2]);
  const download = page.waitForEvent("download", { timeout: 5000 }).catch(() => null);
  await page.getByRole("button", { name: "Copy as CSV" }).click();
  const saved = await Promise.race([download, page.getByText("copied").waitFor().then(() => null)]);
  const csv = saved ? readFileSync(await saved.path(), "utf8") : await page.evaluate(() => navigator.clipboard.readText());
  const lines = csv.trimEnd().split("\n").map((line) => line.split(","));
  assert.deepEqual(lines[0], ["feature", "atom 2", "dual 2"]);
  assert.deepEqual(lines.slice(1).map(([name]) => name), featureNames);
  lines.slice(1).forEach(([, a, c], j) => assert.deepEqual([Math.fround(Number(a)), Math.fround(Number(c))], [atom[j], dual[j]]));
  await close(page);
});

test("atoms are found by what their strongest samples say, and a row is explained in those words", async () => {
  const { pages, models: paths } = models();
  const codes = encode(paths.rows, file("rows.csv"), "exact");
  const strongest = (atom) => codes.map((u, i) => [i, Math.abs(u[atom])]).filter(([, u]) => u > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([i]) => i);
  const page = await open(pages.rows);
  const box = page.getByLabel("Strongest samples say");
  const status = page.locator(".atom-filter .note");
  const name = `wine ${strongest(2)[0]}`;
  const about = Array.from(codes[0], (_, k) => k).filter((k) => strongest(k).slice(0, 10).some((i) => `wine ${i}`.includes(name)));
  await box.fill(name.toUpperCase());
  assert.equal(await status.innerText(), `${about.length} of ${codes[0].length} atoms`);
  await box.fill("no such wine");
  assert.match(await status.innerText(), /^No atom is like that\. All are shown\.$/);
  await page.getByRole("button", { name: "Show all" }).click();
  assert.equal(await box.inputValue(), "");
  // The first sample of the gallery: its strongest atom first, with what that atom's strongest samples are called.
  const row = Array.from(codes[0], (u, k) => [k, u]).filter(([, u]) => u !== 0).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const items = await page.locator(".explained li").evaluateAll((all) => all.map((li) => [Number(li.dataset.atom), li.querySelector(".name").textContent]));
  assert.deepEqual(items.map(([atom]) => atom), row.map(([atom]) => atom));
  assert.equal(items[0][1], strongest(row[0][0]).slice(0, 3).map((i) => `wine ${i}`).join(" \u00b7 "));
  // From strong to weak: the ends of the list, and what lies between.
  await page.getByLabel("Go to atom").fill("2");
  await page.getByLabel("Go to atom").press("Enter");
  await page.locator(".deciles summary").click();
  const tenths = await page.locator(".deciles li").evaluateAll((all) => all.map((li) => Number(li.dataset.sample)));
  const all = strongest(2);
  assert.deepEqual(tenths, Array.from({ length: 11 }, (_, t) => all[Math.round((t * (all.length - 1)) / 10)]));
  await close(page);
});
