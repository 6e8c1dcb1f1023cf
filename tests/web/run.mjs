// SPDX-License-Identifier: BSD-3-Clause
// All browser tests in one process, with one browser.
import { after } from "node:test";
import { closeBrowser } from "./browser.mjs";

after(closeBrowser);
for (const file of ["show", "try", "export", "access", "hostile", "speed"]) await import(`./${file}_test.mjs`);
