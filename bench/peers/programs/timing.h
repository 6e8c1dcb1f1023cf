// SPDX-License-Identifier: BSD-3-Clause
// What the timing programs share: samples in memory, a model around a bare dictionary, a stopwatch.
#pragma once

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "dualdict/dualdict.h"

namespace dualdict::bench {

inline Matrix<float> read_matrix(const std::string& path) {
  const auto source = open_data({path});
  Matrix<float> matrix(source->n_samples(), source->n_features());
  source->read(0, matrix.view());
  return matrix;
}

// The lasso with this dictionary: eta = 0, so that the dual, which a model must have, is never used.
inline Model lasso_model(const std::string& dictionary_path, double tau) {
  ModelParts parts;
  parts.dictionary = convert<double>(read_matrix(dictionary_path));
  parts.dual = parts.dictionary;
  parts.tau = tau;
  return Model(std::move(parts));
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Runs `program`; what it throws becomes a line on stderr and exit code 1.
template <class Program>
int run_program(const Program& program) {
  try {
    program();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace dualdict::bench
