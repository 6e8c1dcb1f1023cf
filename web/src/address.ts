// SPDX-License-Identifier: BSD-3-Clause
// What is looked at, kept in the page's address: page.html#atom=130 shows that atom to whoever opens it.

export function atomInAddress(nAtoms: number): number | null {
  const found = /^#atom=(\d{1,9})$/.exec(location.hash);
  const atom = found ? Number(found[1]) : nAtoms;
  return atom < nAtoms ? atom : null;
}

// Without a step back for each atom that was looked at.
export function keepAtom(atom: number): void {
  history.replaceState(null, "", `#atom=${atom}`);
}
