// SPDX-License-Identifier: BSD-3-Clause
// Light and dark. Figures ask for their colours here and are drawn again when the theme changes.

export interface Theme {
  dark: boolean;
  ink: string;
  muted: string;
  line: string;
  card: string;
  accent: string;
  positive: string;
  negative: string;
  warn: string;
  reconstruction: string;
  coding: string;
  l1: string;
  l2: string;
}

type Choice = "auto" | "light" | "dark";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let chosen: Choice = "auto";
let printing = false;

const isDark = (): boolean => !printing && (chosen === "auto" ? system.matches : chosen === "dark");

function apply(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  current = read();
  repaint();
}

export function repaint(): void {
  for (const listener of listeners) listener();
}

function read(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    dark: isDark(),
    ink: colour("ink"), muted: colour("muted"), line: colour("line"), card: colour("card"), accent: colour("accent"),
    positive: colour("positive"), negative: colour("negative"), warn: colour("warn"), reconstruction: colour("reconstruction"), coding: colour("coding"), l1: colour("l1"),
    l2: colour("l2"),
  };
}

let current: Theme;
export const theme = (): Theme => current;
export const onTheme = (listener: () => void): void => void listeners.push(listener);

export function chooseTheme(choice: string): void {
  chosen = choice as Choice;
  apply();
}

export function startTheme(): void {
  apply();
  system.addEventListener("change", apply);
  // Paper is white.
  addEventListener("beforeprint", () => { printing = true; apply(); });
  addEventListener("afterprint", () => { printing = false; apply(); });
}
