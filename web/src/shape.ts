// SPDX-License-Identifier: BSD-3-Clause
// What a sample looks like: a picture, or a row of features.
import type { Report } from "./report";

export interface Shape {
  picture: boolean;
  height: number;
  width: number;
  names: string[];  // of the features
}

export function shapeOf(report: Report): Shape {
  const { n_features, sample_height, sample_width } = report.model.shape;
  const names = report.feature_names.length > 0
    ? report.feature_names
    : Array.from({ length: n_features }, (_, j) => `feature ${j}`);
  if (sample_height * sample_width === n_features && n_features > 0)
    return { picture: true, height: sample_height, width: sample_width, names };
  const side = Math.round(Math.sqrt(n_features));
  // A matrix file does not say whether its rows are pictures; squares without names of features usually are.
  if (side * side === n_features && side >= 8 && report.feature_names.length === 0)
    return { picture: true, height: side, width: side, names };
  return { picture: false, height: 1, width: n_features, names };
}
