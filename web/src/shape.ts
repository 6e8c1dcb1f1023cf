// SPDX-License-Identifier: BSD-3-Clause
// What a sample looks like: a picture, a row of named things, or a signal over its features.
import type { Report } from "./report";

export interface Shape {
  picture: boolean;
  table: boolean;  // features side by side that mean something each: bars, where a signal is a curve
  height: number;
  width: number;
  channels: number;  // of a pixel: 3 are red, green, blue
  names: string[];  // of the features
}

// Without names, so many features may still be looked at one by one.
const mostBars = 32;

export function shapeOf(report: Report): Shape {
  const { n_features, sample_height, sample_width, sample_channels: channels = 1 } = report.model.shape;
  const named = report.feature_names.length > 0;
  const names = named ? report.feature_names : Array.from({ length: n_features }, (_, j) => `feature ${j}`);
  if (sample_height * sample_width * channels === n_features && n_features > 0)
    return { picture: true, table: false, height: sample_height, width: sample_width, channels, names };
  const side = Math.round(Math.sqrt(n_features));
  // A matrix file does not say whether its rows are pictures; squares without names of features usually are.
  if (side * side === n_features && side >= 8 && !named)
    return { picture: true, table: false, height: side, width: side, channels: 1, names };
  return { picture: false, table: named || n_features <= mostBars, height: 1, width: n_features, channels: 1, names };
}
