// SPDX-License-Identifier: BSD-3-Clause
// What was learned, from what, and how it ended: a sentence, a few numbers, E and its terms.
import { type Best, bestMode } from "./best_mode";
import { sheet, text } from "./chart";
import { el, fact, svg, tabs } from "./dom";
import { figure } from "./figure";
import { count, duration, fileName, number, percent, plural, share } from "./format";
import type { Report } from "./report";
import type { Shape } from "./shape";
import { chooseTheme, theme } from "./theme";

function ending(outcome: Report["model"]["outcome"]): string {
  const after = `after ${plural(outcome.iterations, "iteration")}`;
  switch (outcome.name) {
    case "CONVERGED": return `converged ${after}`;
    case "ITERATION_LIMIT": return `reached its limit of ${plural(outcome.iterations, "iteration")} before it converged`;
    case "TIME_LIMIT": return `reached its time limit ${after}, before it converged`;
    case "STOPPED": return `was stopped by its caller ${after}`;
    case "INTERRUPTED": return `was interrupted ${after}`;
    case "TRIVIAL": return `ended with all codes zero ${after}: tau is too large`;
    default: return `ended as ${outcome.name} ${after}`;
  }
}

const bold = (content: string): HTMLElement => el("strong", {}, content);
const way = ({ row, debiased }: Best): string => (debiased ? `${row.mode} codes, by least squares on their support` : `${row.mode} codes`);

function sentence(report: Report, shape: Shape): HTMLElement {
  const { model } = report;
  const { outcome } = model;
  const best = bestMode(report);
  const what = shape.picture ? `of ${shape.height} \u00d7 ${shape.width} ${shape.channels > 1 ? "colour pixels" : "pixels"}` : `of ${plural(model.shape.n_features, "feature")}`;
  return el("p", { class: "lead" },
    bold(plural(model.shape.n_atoms, "atom")), ` ${what}, and the dual that finds them in a sample by one matrix product, were learned from `,
    bold(plural(model.data.n_samples, "sample")), " of ", el("span", { class: "name" }, fileName(model.data.name)),
    " in ", bold(duration(outcome.seconds)), ". The fit ", bold(ending(outcome)),
    ". ", ...(best ? ["With ", bold(`${number(best.row.nonzeros)} nonzeros`), ` each, ${way(best)}, it explains `, bold(share(best.explained)), " of the samples. "] : []),
    `The exact codes, ${number(outcome.nonzeros_per_code)} nonzeros each, have E = ${number(outcome.energy.total, 4)} to a relative duality gap of ${number(outcome.duality_gap, 2)}; `,
    `${percent(outcome.energy.reconstruction, outcome.energy.total)} of E is the error of the reconstruction, the rest is what the codes cost.`);
}

function facts(report: Report): HTMLElement {
  const { outcome, shape, data } = report.model;
  const { dead_atoms: dead } = outcome;
  const best = bestMode(report);
  const atoms = `of ${count(shape.n_atoms)} atoms`;
  return el("dl", { class: "facts" },
    best && fact("Explained", share(best.explained), `of |x|\u00b2, ${way(best)}`),
    fact("Nonzeros per code", number(best ? best.row.nonzeros : outcome.nonzeros_per_code), best ? `${atoms}, in these codes` : atoms),
    best && fact("Speed", count(Number(best.row.samples_per_second!.toPrecision(2))), "samples a second in these codes, on the machine of the fit"),
    fact("Dead atoms", dead === null ? "\u2013" : count(dead), dead === null ? "not measured" : dead === 0 ? "every atom is used" : "used by no sample"),
    fact("Energy per sample", number(outcome.energy.total / Math.max(1, data.n_samples), 4), `E / N, to a duality gap of ${number(outcome.duality_gap, 2)}`),
    fact("Sparsity weight", number(outcome.tau), `tau; all codes vanish at ${number(outcome.tau_max)}`));
}

function energyBar({ model }: Report) {
  const { energy } = model.outcome;
  const terms: [string, number, "reconstruction" | "coding" | "l1" | "l2"][] = [
    ["reconstruction", energy.reconstruction, "reconstruction"], ["coding", energy.coding, "coding"],
    ["sparsity (l1)", energy.l1, "l1"], ["l2 on codes", energy.l2, "l2"]];
  return figure({
    name: "energy", title: "E and its terms",
    caption: "E = 1/d |X \u2212 DU|\u00b2 + \u03b7/K |U \u2212 CX|\u00b2 + 2\u03c4/K \u2211|U| + \u03bc/K |U|\u00b2, summed over the samples, for exact codes U.",
    draw(width) {
      const perRow = width < 520 ? 2 : 4;
      const drawing = sheet(width, 44 + 34 * Math.ceil(4 / perRow));
      let x = 0;
      terms.forEach(([name, value, key], i) => {
        const length = energy.total > 0 ? (value / energy.total) * width : 0;
        drawing.append(svg("rect", { x, y: 4, width: Math.max(0, length), height: 22, fill: theme()[key] }));
        x += length;
        const left = ((i % perRow) * width) / perRow;
        const top = 48 + 36 * Math.floor(i / perRow);
        drawing.append(svg("rect", { x: left, y: top - 9, width: 10, height: 10, fill: theme()[key] }),
          text(left + 16, top, name, "start", theme().ink, 13),
          text(left + 16, top + 16, `${number(value)} \u00b7 ${percent(value, energy.total)}`));
      });
      return drawing;
    },
  });
}

export function header(report: Report, shape: Shape): HTMLElement {
  const title = report.title || `A dictionary of ${plural(report.model.shape.n_atoms, "atom")} and its dual`;
  document.title = title;
  return el("header", { class: "page-head" },
    el("div", { class: "top" }, el("p", { class: "brand" }, "dualdict report"),
      tabs("theme", "Theme", [["auto", "Auto"], ["light", "Light"], ["dark", "Dark"]], "auto", chooseTheme)),
    el("h1", {}, title), sentence(report, shape), facts(report), energyBar(report).element);
}
