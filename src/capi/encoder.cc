// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/encode.h"

#include <memory>
#include <optional>
#include <span>

#include "capi/guard.h"
#include "capi/handles.h"

namespace dualdict::capi {
namespace {

std::optional<double> optional_of(const double* value) {
  return value == nullptr ? std::nullopt : std::optional<double>(*value);
}

EncodeOptions options_of(const dualdict_encode_options& given) {
  EncodeOptions options;
  if (given.mode != nullptr) options.mode = given.mode;
  options.tau = optional_of(given.tau);
  options.nonzeros = optional_of(given.nonzeros);
  options.eta = optional_of(given.eta);
  options.gap = optional_of(given.gap).value_or(options.gap);
  if (given.debias != 0) options.debias = given.debias > 0;
  options.n_threads = given.n_threads;
  return options;
}

template <class T>
dualdict_status encode_rows(const dualdict_encoder* encoder, const T* samples, size_t n, size_t n_features, T* codes,
                            size_t n_atoms, dualdict_error** error) {
  return guarded(error, [&] {
    require(encoder, "encoder")
        .encoder.encode(view_of(samples, n, n_features, "samples"), view_of(codes, n, n_atoms, "codes"));
  });
}

template <class T>
dualdict_status decode_rows(const dualdict_encoder* encoder, const T* codes, size_t n, size_t n_atoms, T* samples,
                            size_t n_features, dualdict_error** error) {
  return guarded(error, [&] {
    require(encoder, "encoder")
        .encoder.decode(view_of(codes, n, n_atoms, "codes"), view_of(samples, n, n_features, "samples"));
  });
}

template <class T>
dualdict_status score_rows(const dualdict_encoder* encoder, const T* samples, size_t n, size_t n_features, int relative,
                           double* errors, dualdict_error** error) {
  return guarded(error, [&] {
    const Encoder& made = require(encoder, "encoder").encoder;
    const MatrixView<const T> rows = view_of(samples, n, n_features, "samples");
    made.score(rows, std::span<double>(view_of(errors, n, 1, "errors").data, n), relative != 0);
  });
}

}  // namespace
}  // namespace dualdict::capi

using namespace dualdict;        // NOLINT(google-build-using-namespace)
using namespace dualdict::capi;  // NOLINT(google-build-using-namespace)

dualdict_status dualdict_encoder_new(const dualdict_model* model, const dualdict_encode_options* options,
                                     dualdict_encoder** encoder, dualdict_error** error) {
  return guarded(error, [&] {
    hand_out(encoder, "encoder", [&] {
      const Model& known = require(model, "model").model;
      const dualdict_encode_options given = read_struct(options, dualdict_encode_options{}, "options");
      std::unique_ptr<DataSource> sample;
      if (given.n_samples > 0)
        sample = make_source(view_of(given.samples, given.n_samples, known.n_features(), "options.samples"));
      return new dualdict_encoder{Encoder(known, options_of(given), sample.get())};
    });
  });
}

void dualdict_encoder_free(dualdict_encoder* encoder) {
  delete encoder;
}

dualdict_status dualdict_encode_f32(const dualdict_encoder* encoder, const float* samples, size_t n, size_t n_features,
                                    float* codes, size_t n_atoms, dualdict_error** error) {
  return encode_rows(encoder, samples, n, n_features, codes, n_atoms, error);
}

dualdict_status dualdict_encode_f64(const dualdict_encoder* encoder, const double* samples, size_t n, size_t n_features,
                                    double* codes, size_t n_atoms, dualdict_error** error) {
  return encode_rows(encoder, samples, n, n_features, codes, n_atoms, error);
}

dualdict_status dualdict_decode_f32(const dualdict_encoder* encoder, const float* codes, size_t n, size_t n_atoms,
                                    float* samples, size_t n_features, dualdict_error** error) {
  return decode_rows(encoder, codes, n, n_atoms, samples, n_features, error);
}

dualdict_status dualdict_decode_f64(const dualdict_encoder* encoder, const double* codes, size_t n, size_t n_atoms,
                                    double* samples, size_t n_features, dualdict_error** error) {
  return decode_rows(encoder, codes, n, n_atoms, samples, n_features, error);
}

dualdict_status dualdict_score_f32(const dualdict_encoder* encoder, const float* samples, size_t n, size_t n_features,
                                   int relative, double* errors, dualdict_error** error) {
  return score_rows(encoder, samples, n, n_features, relative, errors, error);
}

dualdict_status dualdict_score_f64(const dualdict_encoder* encoder, const double* samples, size_t n, size_t n_features,
                                   int relative, double* errors, dualdict_error** error) {
  return score_rows(encoder, samples, n, n_features, relative, errors, error);
}
