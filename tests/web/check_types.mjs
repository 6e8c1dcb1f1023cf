// SPDX-License-Identifier: BSD-3-Clause
// Checks the types of the page's sources: node check_types.mjs WEB FOLDER, where FOLDER has node_modules. TypeScript looks
// for packages above the sources, so that they are copied beside them.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

const [web, folder] = process.argv.slice(2);
rmSync(join(folder, "src"), { recursive: true, force: true });
cpSync(join(web, "src"), join(folder, "src"), { recursive: true });
cpSync(join(web, "tsconfig.json"), join(folder, "tsconfig.json"));
const { status } = spawnSync(process.execPath, [join(folder, "node_modules/typescript/bin/tsc"), "-p", folder], { stdio: "inherit" });
process.exit(status ?? 1);
