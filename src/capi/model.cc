// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/model.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "capi/guard.h"
#include "capi/handles.h"

namespace dualdict::capi {
namespace {

void copy_matrix(const Matrix<double>& from, double* to, std::size_t rows, std::size_t cols, const char* name) {
  require(to, name);
  if (rows != from.rows() || cols != from.cols())
    throw Error(ErrorKind::kUsage, std::string(name) + ": room for " + std::to_string(rows) + " x " +
                                       std::to_string(cols) + " numbers, but the model has " +
                                       std::to_string(from.rows()) + " x " + std::to_string(from.cols()));
  std::copy_n(from.data(), from.size(), to);
}

}  // namespace
}  // namespace dualdict::capi

using namespace dualdict;        // NOLINT(google-build-using-namespace)
using namespace dualdict::capi;  // NOLINT(google-build-using-namespace)

dualdict_status dualdict_model_load(const char* path, dualdict_model** model, dualdict_error** error) {
  return guarded(error, [&] {
    hand_out(model, "model", [&] { return new dualdict_model{Model::load(&require(path, "path"))}; });
  });
}

dualdict_status dualdict_model_save(const dualdict_model* model, const char* path, dualdict_error** error) {
  return guarded(error, [&] { require(model, "model").model.save(&require(path, "path")); });
}

dualdict_status dualdict_model_to_bytes(const dualdict_model* model, char** bytes, size_t* n_bytes,
                                        dualdict_error** error) {
  return guarded(error, [&] {
    hand_out(bytes, "bytes", [&] {
      size_t& size = require(n_bytes, "n_bytes");
      const std::string file = require(model, "model").model.to_bytes();
      size = file.size();
      return new_text(file);
    });
  });
}

dualdict_status dualdict_model_from_bytes(const char* bytes, size_t n_bytes, dualdict_model** model,
                                          dualdict_error** error) {
  return guarded(error, [&] {
    hand_out(model, "model", [&] {
      return new dualdict_model{Model::from_bytes(std::string_view(&require(bytes, "bytes"), n_bytes))};
    });
  });
}

size_t dualdict_model_n_atoms(const dualdict_model* model) {
  return model == nullptr ? 0 : model->model.n_atoms();
}

size_t dualdict_model_n_features(const dualdict_model* model) {
  return model == nullptr ? 0 : model->model.n_features();
}

dualdict_status dualdict_model_dictionary(const dualdict_model* model, double* dictionary, size_t n_atoms,
                                          size_t n_features, dualdict_error** error) {
  return guarded(error, [&] {
    copy_matrix(require(model, "model").model.dictionary(), dictionary, n_atoms, n_features, "dictionary");
  });
}

dualdict_status dualdict_model_dual(const dualdict_model* model, double* dual, size_t n_atoms, size_t n_features,
                                    dualdict_error** error) {
  return guarded(error, [&] { copy_matrix(require(model, "model").model.dual(), dual, n_atoms, n_features, "dual"); });
}

dualdict_status dualdict_model_describe(const dualdict_model* model, char** json, dualdict_error** error) {
  return guarded(
      error, [&] { hand_out(json, "json", [&] { return new_text(describe_json(require(model, "model").model)); }); });
}

void dualdict_model_free(dualdict_model* model) {
  delete model;
}
