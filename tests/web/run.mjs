// SPDX-License-Identifier: BSD-3-Clause
// All browser tests, or those named, in one process, with one browser: node run.mjs [show|study|try|export|access|hostile|speed]...
import { after } from "node:test";
import { closeBrowser } from "./browser.mjs";

after(closeBrowser);
const named = process.argv.slice(2);
for (const file of named.length > 0 ? named : ["show", "study", "try", "export", "access", "hostile", "speed"]) await import(`./${file}_test.mjs`);
