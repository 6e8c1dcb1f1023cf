// SPDX-License-Identifier: BSD-3-Clause
// Builds the page. The encoders' tensors stand behind this script in the file: what needs them comes last.
import { atomsSection } from "./atoms";
import { curvesSection } from "./curves";
import { el } from "./dom";
import { Coder } from "./encode";
import { frameSection, makingSection } from "./frame";
import { header } from "./header";
import { modesSection } from "./modes";
import { Tensors, readReport } from "./report";
import { shapeOf } from "./shape";
import { sumSection } from "./sum";
import { startTheme } from "./theme";
import { fillTryIt, tryItSection } from "./try_it";
import { usageSection } from "./usage_chart";

const sections: [string, string][] = [
  ["atoms", "Atoms"], ["sum", "One sample"], ["try", "Try it"], ["usage", "Use"], ["modes", "Encoding"], ["curves", "Fit"],
  ["frame", "Frame"], ["making", "Making"]];

function start(): void {
  const report = readReport();
  const tensors = new Tensors(report);
  const shape = shapeOf(report);
  startTheme();
  let coder = new Coder(report, tensors);
  const atoms = atomsSection(report, tensors, shape);
  const sum = sumSection(report, tensors, shape, () => coder);
  const tryIt = tryItSection();
  document.getElementById("page")!.replaceChildren(
    header(report, shape),
    el("nav", { "aria-label": "Sections" }, ...sections.map(([id, name]) => el("a", { href: `#${id}` }, name))),
    el("main", {}, atoms, sum.element, tryIt, usageSection(report), modesSection(report), curvesSection(report), frameSection(report), makingSection(report)));
  const finish = (): void => {
    coder = new Coder(report, tensors);
    sum.ready();
    fillTryIt(tryIt, report, tensors, shape, coder);
    document.documentElement.dataset.ready = "true";
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", finish);
  else finish();
}

start();
