// SPDX-License-Identifier: BSD-3-Clause
// What an atom is about, in the names of the samples that use it most.
import type { Report } from "./report";

const nRead = 10;

// Samples without names are called by their numbers, which say nothing of an atom.
export function hasTexts(report: Report): boolean {
  return report.data !== null && report.data !== undefined && report.data.names.some((name) => name !== "" && !/^sample \d+$/.test(name));
}

// The names of its strongest samples, of both signs, strongest first.
export function textsOf(report: Report, atom: number, most = nRead): string[] {
  const { data } = report;
  return data ? data.uses[atom]!.samples.slice(0, most).map((sample) => data.names[sample]!) : [];
}

// Whether one of them holds all words, in any order and case.
export function isAbout(report: Report, atom: number, words: string[]): boolean {
  return textsOf(report, atom).some((text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  });
}

export function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

// Places in a list sorted by strength: its first, one at each tenth of its length, its last.
export function decilePlaces(n: number): number[] {
  return [...new Set(Array.from({ length: 11 }, (_, tenth) => Math.round((tenth * (n - 1)) / 10)))].filter((place) => place >= 0);
}
