// SPDX-License-Identifier: BSD-3-Clause
// What is drawn is what the model says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { close, open, photograph, sizes } from "./browser.mjs";
import { encode, featureNames, file, models, tensor } from "./models.mjs";

// The colour of a value in -1 .. 1 in the grey palette.
const grey = (v) => Math.round(v < 0 ? 128 + 128 * v : 128 + 127 * v);

const byUse = ({ usage }) => usage.map((_, i) => i).sort((a, b) => usage[b] - usage[a] || a - b);
const coherence = (atoms) => {
  const unit = atoms.map((a) => { const n = Math.hypot(...a); return a.map((v) => v / n); });
  return unit.map((a, i) => Math.max(...unit.map((b, j) => (i === j ? 0 : Math.abs(a.reduce((s, v, k) => s + v * b[k], 0))))));
};

async function checkTiles(page, values, order, canvas, [height, width]) {
  const { pixels, columns, w } = await page.evaluate(([selector, step]) => {
    const element = document.querySelectorAll(selector)[0];
    const data = element.getContext("2d").getImageData(0, 0, element.width, element.height).data;
    return { pixels: Array.from(data), columns: Math.round(element.width / step), w: element.width };
  }, [canvas, width + 1]);
  for (const place of [0, 1, order.length - 1]) {
    const atom = values[order[place]];
    const most = Math.max(...atom.map(Math.abs));
    for (let y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x) {
        const at = 4 * ((Math.floor(place / columns) * (height + 1) + y) * w + (place % columns) * (width + 1) + x);
        const expected = grey(atom[y * width + x] / most);
        assert.ok(Math.abs(pixels[at] - expected) <= 2, `tile ${place}, ${y}, ${x}: ${pixels[at]} for ${expected}`);
      }
  }
}

for (const [name, shape] of [["digits", [28, 28]], ["patches", [8, 8]]])
  test(`${name}: atoms and duals have the values of the model, in every order`, async () => {
    const { pages, models: paths, info } = models();
    const page = await open(pages[name]);
    await page.getByLabel("Colours").selectOption("grey");
    const [dictionary, dual] = ["dictionary", "dual"].map((t) => tensor(paths[name], t));
    const order = byUse(info[name]);
    await checkTiles(page, dictionary, order, ".panel:nth-of-type(1) canvas", shape);
    await checkTiles(page, dual, order, ".panel:nth-of-type(2) canvas", shape);
    const all = coherence(dictionary);
    await page.getByLabel("Sort by").selectOption("coherence");
    const first = await page.getByRole("slider", { name: /^Atoms/ }).getAttribute("aria-valuetext");
    const atom = Number(first.match(/atom (\d+)/)[1]);
    assert.ok(all[atom] > Math.max(...all) - 1e-5, `${first} is not the most coherent`);
    await close(page);
  });

// The smallest error of a mode, own decoder or least squares, with at most a tenth more nonzeros than the fit.
function best({ encoding, outcome }) {
  const error = (row) => Math.min(row.reconstruction_error, row.debiased_reconstruction_error ?? Infinity);
  const rows = encoding.rows.filter((row) => row.samples_per_second !== null && row.nonzeros <= 1.1 * outcome.nonzeros_per_code);
  const row = rows.reduce((one, other) => (error(other) < error(one) ? other : one));
  return { row, explained: 100 * (1 - error(row) ** 2) };
}

for (const name of ["digits", "rows"])
  test(`${name}: the first cards say how much is explained with how many nonzeros`, async () => {
    const { pages, info } = models();
    const page = await open(pages[name]);
    const { row, explained } = best(info[name]);
    const cards = await page.locator(".page-head .facts > div").evaluateAll((all) => all.map((card) => Array.from(card.children, (c) => c.textContent)));
    assert.deepEqual(cards.slice(0, 2).map(([term]) => term), ["Explained", "Nonzeros per code"]);
    assert.ok(cards[0][1].startsWith("> ") ? explained > 99.9 : Math.abs(Number.parseFloat(cards[0][1]) - explained) < 0.06, `${cards[0][1]} for ${explained}`);
    assert.ok(cards[0][2].includes(`${row.mode} codes`), cards[0][2]);
    assert.ok(Math.abs(Number(cards[1][1]) / row.nonzeros - 1) < 0.01, cards[1][1]);
    const lead = await page.locator(".lead").innerText();
    assert.ok(lead.includes(cards[0][1]) && lead.includes(`${cards[1][1]} nonzeros`), lead);
    assert.match(lead, /of E is the error of the reconstruction/);
    assert.match(await page.locator("#modes .table-scroll + p").innerText(), /exact .* larger than that of sparse/);
    await close(page);
  });

test("digits: sentence, table, use and curves say what `info` says", async () => {
  const { pages, info } = models();
  const { shape, outcome, encoding, usage, data } = info.digits;
  const page = await open(pages.digits);
  const lead = await page.locator(".lead").innerText();
  for (const part of [`${shape.n_atoms} atoms`, "28 \u00d7 28 pixels", `${data.n_samples} samples`, `${outcome.iterations} iterations`])
    assert.ok(lead.includes(part), `${part} in: ${lead}`);
  const rows = await page.locator("#modes tbody tr").evaluateAll((all) => all.map((row) => Array.from(row.children, (c) => c.textContent)));
  assert.deepEqual(rows.map((row) => row[0]), encoding.rows.map((row) => row.mode));
  const parse = (cell) => Number(cell.replace(/\u2212/g, "-").replace(/,/g, ""));
  encoding.rows.forEach((row, i) => {
    if (row.code_error !== null) assert.ok(Math.abs(parse(rows[i][1]) / row.code_error - 1) < 0.01 || row.code_error === 0, rows[i][1]);
    if (row.reconstruction_error !== null) assert.ok(Math.abs(parse(rows[i][3]) / row.reconstruction_error - 1) < 0.01);
  });
  const heights = await page.locator("#figure-usage rect:not(.dead)").evaluateAll((all) => all.map((bar) => Number(bar.getAttribute("height"))));
  const used = usage.filter((u) => u > 0).sort((a, b) => b - a);
  assert.equal(heights.length, used.length);
  heights.forEach((height, i) => assert.ok(Math.abs(height / heights[0] - used[i] / used[0]) < 0.02));
  assert.equal(await page.locator("#curves .u-over").count(), 3);
  await page.locator("input[name=against][value=seconds]").check();
  await close(page);
});

// Shows as a sum of atoms that sample of the gallery whose code has most of something, and returns the code.
async function showSum(page, codes, most) {
  const samples = page.locator("#sum select").first();
  const code = (name) => codes[Number(name.match(/\d+/)[0])];
  const name = (await samples.locator("option").allTextContents()).reduce((best, other) => (most(code(other)) > most(code(best)) ? other : best));
  await samples.selectOption({ label: name });
  return code(name);
}

test("digits: a sample is the sum of its atoms, with the weights of the exact code", async () => {
  const { pages, models: paths } = models();
  const page = await open(pages.digits);
  const used = (code) => code.filter((u) => u !== 0).length;
  const code = await showSum(page, encode(paths.digits, file("digits.idx"), "exact"), used);
  const terms = await page.locator("#sum .term").evaluateAll((all) => all.map((g) => [Number(g.dataset.atom), Number(g.dataset.weight)]));
  assert.equal(terms.length, Math.min(24, used(code)));
  assert.ok(terms.length > 3, `${terms.length} atoms`);
  for (const [atom, weight] of terms) assert.ok(Math.abs(weight - code[atom]) < 1e-4 * Math.max(1, Math.abs(code[atom])));
  await page.locator("#sum select").nth(1).selectOption("corrected");
  await close(page);
});

test("hovering, clicking and keys show an atom with its dual and its samples", async () => {
  const { pages, info } = models();
  const page = await open(pages.digits);
  const order = byUse(info.digits);
  const canvas = page.locator(".panel canvas").first();
  const head = page.locator(".detail h4");
  const zoom = await canvas.evaluate((element) => element.getBoundingClientRect().width / element.width);
  await canvas.hover({ position: { x: 29 * zoom + 5, y: 5 } });
  assert.equal(await head.innerText(), `Atom ${order[1]}`);
  assert.ok((await page.locator(".detail .users li").count()) > 0);
  await canvas.click({ position: { x: 5, y: 5 } });
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.mouse.move(5, 5);
  assert.equal(await head.innerText(), `Atom ${order[2]}`);
  const before = (await canvas.boundingBox()).width / (await canvas.evaluate((element) => element.width));
  await page.getByLabel("Zoom").fill("5");
  const after = (await canvas.boundingBox()).width / (await canvas.evaluate((element) => element.width));
  assert.ok(after > before, `${before} then ${after}`);
  await close(page);
});

for (const scheme of ["light", "dark"])
  test(`rows: named bars, and one colour for a sign everywhere, ${scheme}`, async () => {
    const { pages, models: paths, info } = models();
    const page = await open(pages.rows, { colorScheme: scheme });
    const [atom, dual] = ["dictionary", "dual"].map((name) => tensor(paths.rows, name)[byUse(info.rows)[0]]);
    const [positive, negative] = await page.evaluate(() => ["--positive", "--negative"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name)));
    assert.notEqual(positive, negative);
    const colour = (v) => (v < 0 ? negative : positive);
    assert.deepEqual(await page.locator(".detail .feature title").allTextContents(), featureNames);
    const bars = await page.locator(".detail .bar").evaluateAll((all) => all.map((bar) => [Number(bar.getAttribute("width")), bar.getAttribute("fill")]));
    assert.equal(bars.length, 2 * featureNames.length);
    [...atom, ...dual].forEach((v, i) => {
      const values = i < atom.length ? atom : dual;
      const [most, longest] = [values, bars.slice(i < atom.length ? 0 : atom.length).slice(0, atom.length).map(([w]) => w)].map((list) => Math.max(...list.map(Math.abs)));
      assert.ok(Math.abs(bars[i][0] / longest - Math.abs(v) / most) < 1e-4, `bar ${i}`);
      assert.equal(bars[i][1], colour(v));
    });
    const count = (code, sign) => code.filter((u) => sign * u > 0).length;
    await showSum(page, encode(paths.rows, file("rows.csv"), "exact"), (code) => Math.min(count(code, 1), count(code, -1)));
    const terms = await page.locator("#sum .term").evaluateAll((all) => all.map((term) => [Number(term.dataset.weight), term.querySelector("text").getAttribute("fill")]));
    assert.ok(terms.length > 0);
    for (const [weight, fill] of terms) assert.equal(fill, colour(weight));
    const strong = await page.locator("#figure-code .strong text:nth-of-type(1)").evaluateAll((all) => all.map((text) => [text.textContent, text.getAttribute("fill")]));
    for (const [weight, fill] of strong) assert.equal(fill, weight.startsWith("+") ? positive : negative);
    const stems = await page.locator("#figure-code svg > path").evaluateAll((all) => all.map((path) => path.getAttribute("stroke")));
    assert.deepEqual(stems, [positive, negative]);
    await close(page);
  });

test("rows: heat strips, names of samples", async () => {
  const { pages, models: paths, info } = models();
  const page = await open(pages.rows);
  const atom = tensor(paths.rows, "dictionary")[byUse(info.rows)[0]];
  await page.locator("select:has(option[value=strip])").selectOption("strip");
  await page.getByLabel("Colours").selectOption("grey");
  const pixels = await page.locator(".panel canvas").first().evaluate((element) => Array.from(element.getContext("2d").getImageData(0, 0, element.width, 1).data));
  const most = Math.max(...atom.map(Math.abs));
  atom.forEach((v, j) => assert.ok(Math.abs(pixels[4 * j] - grey(v / most)) <= 2));
  assert.match(await page.locator("#sum select").first().locator("option").first().innerText(), /^wine \d+$/);
  await close(page);
});

for (const name of ["colours", "digits", "patches", "rows"])
  test(`${name}: nothing is wider than the screen, on desktop and phone, in both themes`, async () => {
    const page = await open(models().pages[name]);
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport);
      for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme: scheme });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, `${size}, ${scheme}`);
        await photograph(page, `${name}-${size}-${scheme}`);
      }
    }
    await close(page);
  });
