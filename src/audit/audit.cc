// SPDX-License-Identifier: BSD-3-Clause
#include "dualdict/audit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "audit/certificate.h"
#include "audit/cosines.h"
#include "dualdict/encode.h"
#include "dualdict/error.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

// K x K numbers that exact and greedy codes need.
constexpr double kMostGramBytes = 2.0 * (1 << 30);

Matrix<double> spread_samples(const DataSource& data, std::size_t most) {
  const std::size_t n = std::min(most, data.n_samples());
  Matrix<double> samples(n, data.n_features());
  if (n == data.n_samples()) {
    data.read(0, samples.view());
    return samples;
  }
  for (std::size_t i = 0; i < n; ++i) data.read(i * data.n_samples() / n, samples.view().row_range(i, 1));
  return samples;
}

double variance_of(const Matrix<double>& samples) {
  std::vector<double> mean(samples.cols());
  for (std::size_t i = 0; i < samples.rows(); ++i)
    for (std::size_t f = 0; f < mean.size(); ++f) mean[f] += samples(i, f) / static_cast<double>(samples.rows());
  double total = 0;
  for (std::size_t i = 0; i < samples.rows(); ++i)
    for (std::size_t f = 0; f < mean.size(); ++f) total += std::pow(samples(i, f) - mean[f], 2);
  return total;
}

// The dictionary alone, in double: its codes owe nothing to an encoder, and have no weight of coding.
Model bare_model(const ModelParts& parts) {
  ModelParts bare;
  bare.dtype = DType::kFloat64;
  bare.penalty = Penalty::kL0;
  bare.dictionary = parts.dictionary;
  bare.dual = parts.dictionary;
  bare.offset = parts.offset;
  bare.positive_codes = parts.positive_codes;
  return Model(std::move(bare));
}

class Auditor {
 public:
  Auditor(const Model& model, Matrix<double> samples, const AuditOptions& options)
      : model_(model), bare_(bare_model(model.parts())), raw_(std::move(samples)), prepared_(raw_), options_(options) {
    model.parts().transform.apply(prepared_.view());
    variance_ = variance_of(prepared_);
  }

  Audit run() {
    result_.mode = own_mode();
    result_.n_samples = raw_.rows();
    result_.n_atoms = model_.n_atoms();
    result_.n_features = model_.n_features();
    const double own = add_own();
    const double greedy = add_greedy();
    const double exact = add_exact();
    result_.lost_to_greedy = greedy > 0 ? own / greedy : 0;
    result_.lost_to_exact = exact > 0 ? own / exact : 0;
    ThreadPool pool(options_.n_threads == 0 ? available_threads() : options_.n_threads);
    const std::vector<double> largest = largest_within(model_.dictionary(), pool);
    result_.mean_largest_cosine = mean_of(largest);
    result_.largest_cosine = *std::max_element(largest.begin(), largest.end());
    return std::move(result_);
  }

 private:
  std::string own_mode() const {
    if (!options_.mode.empty()) return options_.mode;
    const std::string mode(default_mode(model_));
    if (mode != "greedy") return mode;
    for (const char* one_product : {"hard", "sparse"})
      if (model_.parts().find_encoder(one_product) != nullptr) return one_product;
    return "linear";
  }

  // Measures an encoder on samples that it takes as they are, and returns their codes.
  Matrix<double> add_row(const std::string& name, const Encoder& encoder, const Matrix<double>& samples) {
    Matrix<double> codes(samples.rows(), encoder.n_atoms());
    const auto start = std::chrono::steady_clock::now();
    encoder.encode(samples.view(), codes.view());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::vector<double> errors(samples.rows());
    encoder.score(samples.view(), errors, false);
    AuditRow row;
    row.code = name;
    row.nonzeros = static_cast<double>(count_nonzeros(codes.data(), codes.size())) / static_cast<double>(codes.rows());
    row.unexplained = variance_ > 0 ? squared_norm(errors.data(), errors.size()) / variance_ : 0;
    row.explained = 1 - row.unexplained;
    row.microseconds = 1e6 * seconds.count() / static_cast<double>(samples.rows());
    result_.rows.push_back(row);
    return codes;
  }

  EncodeOptions choose(const std::string& mode, bool debias) const {
    EncodeOptions options;
    options.mode = mode;
    options.debias = debias;
    options.n_threads = 1;
    return options;
  }

  double add_own() {
    EncodeOptions options = choose(result_.mode, false);
    options.debias.reset();
    const Matrix<double> codes = add_row(result_.mode + " (own)", Encoder(model_, options), raw_);
    wanted_ = result_.rows.back().nonzeros;
    std::vector<std::size_t> uses(model_.n_atoms());
    for (std::size_t i = 0; i < codes.rows(); ++i)
      for (std::size_t j = 0; j < uses.size(); ++j) uses[j] += codes(i, j) != 0 ? 1 : 0;
    result_.dead_atoms = static_cast<std::size_t>(std::count(uses.begin(), uses.end(), 0U));
    const double own = result_.rows.back().unexplained;
    if (parse_mode(result_.mode).info->sparse && can_compare())
      add_row(result_.mode + ", refitted", Encoder(model_, choose(result_.mode, true)), raw_);
    return own;
  }

  bool can_compare() {
    if (!(wanted_ > 0 && wanted_ < static_cast<double>(std::min(model_.n_atoms(), model_.n_features())))) {
      result_.note = "its codes have " + std::to_string(wanted_) +
                     " nonzeros on average: greedy and exact codes of fewer than the features and more than none are "
                     "worth comparing";
      return false;
    }
    const auto k = static_cast<double>(model_.n_atoms());
    if (8 * k * k <= kMostGramBytes) return true;
    result_.note = "greedy and exact codes are left out: the products of " + std::to_string(model_.n_atoms()) +
                   " atoms with each other take more than 2 GiB";
    return false;
  }

  double add_greedy() {
    if (!can_compare()) return 0;
    EncodeOptions options = choose("greedy", true);
    options.nonzeros = wanted_;
    add_row("greedy", Encoder(bare_, options, &*make_source(prepared_.view())), prepared_);
    return result_.rows.back().unexplained;
  }

  double add_exact() {
    if (!can_compare()) return 0;
    EncodeOptions options = choose("exact", false);
    options.nonzeros = wanted_;
    const Encoder exact(bare_, options, &*make_source(prepared_.view()));
    const Matrix<double> codes = add_row("exact", exact, prepared_);
    const double penalty =
        exact.tau() * static_cast<double>(model_.n_features()) / static_cast<double>(model_.n_atoms());
    result_.rows.back().gap = largest_gap(bare_.parts(), prepared_, codes, penalty);
    options.nonzeros.reset();
    options.tau = exact.tau();
    options.debias = true;
    add_row("exact, refitted", Encoder(bare_, options), prepared_);
    return result_.rows.back().unexplained;
  }

  const Model& model_;
  Model bare_;
  Matrix<double> raw_;
  Matrix<double> prepared_;  // after the transform
  const AuditOptions& options_;
  double variance_ = 0;
  double wanted_ = 0;
  Audit result_;
};

}  // namespace

Audit audit(const Model& model, const DataSource& data, const AuditOptions& options) {
  if (data.n_features() != model.n_features() || data.n_samples() == 0)
    throw Error(ErrorKind::kInput, data.name() + ": " + std::to_string(data.n_samples()) + " samples of " +
                                       std::to_string(data.n_features()) + " features; the model needs at least 1 of " +
                                       std::to_string(model.n_features()));
  return Auditor(model, spread_samples(data, options.most_samples), options).run();
}

}  // namespace dualdict
