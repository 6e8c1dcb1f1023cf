// SPDX-License-Identifier: BSD-3-Clause
// Bundles the page: node bundle.mjs FOLDER OUTPUT. FOLDER has node_modules; OUTPUT is a C++ source that holds the page,
// FOLDER/page.html the same for reading.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const [folder, output] = process.argv.slice(2).map((path) => resolve(path));
const source = join(dirname(fileURLToPath(import.meta.url)), "src");
const esbuild = createRequire(join(folder, "package.json"))("esbuild");
const limit = 1_000_000;

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2020",
    charset: "ascii",
    legalComments: "inline",
    nodePaths: [join(folder, "node_modules")],
    logLevel: "error",
  });
  return result.outputFiles[0].text.trim();
}

// The policy allows exactly these two texts to run and to style; whatever else finds its way into a page does nothing.
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

const [script, style] = await Promise.all([bundle("main.ts"), bundle("page.css")]);
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const parts = { policy, style, script };
// A function as replacement: in a text, $& and the like would mean something.
const page = readFileSync(join(source, "page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
if (page.length > limit) throw new Error(`the page has ${page.length} bytes, more than ${limit}`);

const pieces = page.match(/[^]{1,8000}/g).map((piece) => JSON.stringify(piece).replace(/\?\?/g, "?\\?"));
if (!/^[\x00-\x7f]*$/.test(page)) throw new Error("the page must be ASCII");
writeFileSync(
  output,
  `// Made from web/ by the build.
#include "report/page_template.h"

namespace dualdict {

std::string_view page_template() {
  static constexpr char kPage[] =
${pieces.map((piece) => `      ${piece}`).join("\n")};
  return {kPage, sizeof kPage - 1};
}

}  // namespace dualdict
`,
);
writeFileSync(join(folder, "page.html"), page);
