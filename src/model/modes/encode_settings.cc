// SPDX-License-Identifier: BSD-3-Clause
#include "model/modes/encode_settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "dualdict/error.h"
#include "linalg/vectors.h"
#include "model/coding_space.h"
#include "model/fit/levels.h"

namespace dualdict {
namespace {

std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

[[noreturn]] void usage(const std::string& message) {
  throw Error(ErrorKind::kUsage, message);
}

// "sparse, corrected, refine:k or exact": the modes for which a test holds.
template <class Test>
std::string modes_that(const Test& test) {
  std::vector<std::string> forms;
  for (const ModeInfo& info : mode_table())
    if (test(info)) forms.push_back(mode_form(info));
  std::string text;
  for (std::size_t i = 0; i < forms.size(); ++i)
    text += (i == 0 ? "" : i + 1 == forms.size() ? " or " : ", ") + forms[i];
  return text;
}

void check(const Model& model, const EncodeOptions& options, const ModeInfo& mode) {
  if (options.tau && !(*options.tau >= 0 && std::isfinite(*options.tau)))
    usage("tau " + number(*options.tau) + ": must be a finite number >= 0");
  if (options.eta && !(*options.eta >= 0 && std::isfinite(*options.eta)))
    usage("eta " + number(*options.eta) + ": must be a finite number >= 0");
  if (options.eta && !mode.takes_eta)
    usage("eta " + number(*options.eta) + ": mode " + options.mode + " takes no other eta than the model's; " +
          modes_that([](const ModeInfo& info) { return info.takes_eta; }) + " does");
  if (!mode.sparse && (options.tau || options.nonzeros))
    usage("mode " + options.mode + ": its codes are dense and take neither tau nor nonzeros; use " +
          modes_that([](const ModeInfo& info) { return info.sparse; }));
  if (options.tau && !mode.takes_tau)
    usage(
        "tau " + number(*options.tau) + ": mode " + options.mode + " has no tau; " +
        (mode.takes_nonzeros ? "give nonzeros, or a mode that has one, as sparse" : "its k is the number of nonzeros"));
  if (options.nonzeros && !mode.takes_nonzeros)
    usage("nonzeros " + number(*options.nonzeros) + ": mode " + options.mode + " has k of them; give another k");
  if (options.tau && options.nonzeros) usage("tau and nonzeros: give one of them, not both");
  if (options.nonzeros && !(*options.nonzeros > 0 && *options.nonzeros < static_cast<double>(model.n_atoms())))
    usage("nonzeros " + number(*options.nonzeros) + ": must be more than 0 and less than the " +
          std::to_string(model.n_atoms()) + " atoms of the model");
  if (options.level && (options.nonzeros || !(*options.level >= 0 && std::isfinite(*options.level))))
    usage("level " + number(*options.level) + ": must be a finite number >= 0, and given without nonzeros");
  if (options.max_error && !mode.takes_max_error)
    usage("max_error " + number(*options.max_error) + ": mode " + options.mode + " takes none; " +
          modes_that([](const ModeInfo& info) { return info.takes_max_error; }) + " does");
  if (options.max_error && !(*options.max_error > 0 && std::isfinite(*options.max_error)))
    usage("max_error " + number(*options.max_error) + ": must be a finite number > 0");
  if (!(options.gap > 0)) usage("gap " + number(options.gap) + ": must be > 0");
}

[[noreturn]] void too_many(double wanted, double reachable) {
  usage("nonzeros " + number(wanted) + ": the codes of this mode and model have at most " + number(reachable) +
        " on average, whatever the tau");
}

// The share of |v_j| above t, from the stored quantiles.
double share_above(const double* quantiles, std::size_t n, double t) {
  const double* above = std::upper_bound(quantiles, quantiles + n, t);
  if (above == quantiles) return 1;
  if (above == quantiles + n) return 0;
  const auto last_below = static_cast<double>(above - quantiles - 1);
  const double part = (t - above[-1]) / (above[0] - above[-1]);
  return 1 - (last_below + part) / static_cast<double>(n - 1);
}

double expected_nonzeros(const FittedEncoder& fitted, double shift) {
  double total = 0;
  for (std::size_t j = 0; j < fitted.gain.size(); ++j) {
    if (fitted.gain[j] == 0) continue;
    const double threshold = std::max(0.0, fitted.threshold[j] + fitted.tau_slope[j] * shift);
    total += share_above(fitted.quantiles.row(j), fitted.quantiles.cols(), threshold);
  }
  return total;
}

// At most 1000 samples, evenly spread over the source.
Matrix<double> read_spread(const DataSource& source) {
  constexpr std::size_t kMost = 1000;
  const std::size_t n = std::min(kMost, source.n_samples());
  Matrix<double> samples(n, source.n_features());
  if (n == source.n_samples()) {
    source.read(0, samples.view());
  } else {
    for (std::size_t i = 0; i < n; ++i) source.read(i * source.n_samples() / n, samples.view().row_range(i, 1));
  }
  return samples;
}

// The tau with which the mode's own codes of the samples have `wanted` nonzeros on average: bisection on log tau.
double tau_for_nonzeros(const Model& model, EncodeOptions options, const Matrix<double>& samples, double wanted) {
  constexpr int kMaxSteps = 60;
  constexpr double kClose = 2e-3;
  constexpr double kRoughGap = 1e-4;
  options.gap = std::max(options.gap, kRoughGap);
  options.debias = false;
  options.nonzeros.reset();
  options.n_threads = 1;
  Matrix<double> codes(samples.rows(), model.n_atoms());
  const auto count = [&](double tau) {
    options.tau = tau;
    Encoder(model, options).encode(samples.view(), codes.view());
    return static_cast<double>(count_nonzeros(codes.data(), codes.size())) / static_cast<double>(samples.rows());
  };
  double low = model.parts().tau > 0 ? model.parts().tau : 1.0;
  double high = low;
  double at_low = count(low);
  for (int step = 0; at_low > wanted && count(high) > wanted && step < kMaxSteps; ++step) high *= 4;
  double best = at_low;
  for (int step = 0; at_low < wanted && step < kMaxSteps / 2; ++step) {
    low /= 4;
    best = std::max(best, at_low = count(low));
  }
  if (best < wanted * (1 - kClose)) too_many(wanted, best);
  for (int step = 0; step < kMaxSteps && high > low * (1 + 1e-9); ++step) {
    const double middle = std::sqrt(low * high);
    const double nonzeros = count(middle);
    if (std::abs(nonzeros - wanted) <= kClose * wanted) return middle;
    (nonzeros > wanted ? low : high) = middle;
  }
  return low;
}

void require_sample(const Model& model, const EncodeOptions& options, const std::string& wanted,
                    const DataSource* sample) {
  if (sample == nullptr)
    usage("nonzeros " + number(*options.nonzeros) + ": mode " + options.mode + " needs samples to find its " + wanted +
          " on; give them" + (wanted == "tau" ? ", or give tau" : ""));
  if (sample->n_features() != model.n_features() || sample->n_samples() == 0)
    throw Error(ErrorKind::kInput, sample->name() + ": " + std::to_string(sample->n_samples()) + " samples of " +
                                       std::to_string(sample->n_features()) +
                                       " features, but the model needs at least 1 of " +
                                       std::to_string(model.n_features()));
}

// The threshold or price, from the model or, where it does not know one, for greedy codes on the sample.
double find_level(const Model& model, const EncodeOptions& options, const Mode& mode, const DataSource* sample) {
  const ModelParts& parts = model.parts();
  const FittedEncoder* fitted = parts.find_encoder(mode.info.name);
  const bool known = fitted != nullptr && !fitted->levels.empty();
  if (options.level) return *options.level;
  if (!options.nonzeros) {
    if (known) return fitted->levels(0, 1);
    throw Error(ErrorKind::kInput, "mode " + options.mode + ": the model knows no " +
                                       (mode.tensors.size() > 1 ? "encoder for it; use mode greedy, linear or exact"
                                                                : "price for it; give nonzeros"));
  }
  if (known && has_level(fitted->levels, *options.nonzeros)) return level_at(fitted->levels, *options.nonzeros);
  if (mode.tensors.size() > 1) {
    if (known && fitted->levels.rows() == 1)
      usage("nonzeros " + number(*options.nonzeros) + ": the model knows only the threshold it came with; use topk:k " +
            "for k nonzeros, or greedy");
    if (known) too_many(*options.nonzeros, fitted->levels(fitted->levels.rows() - 1, 0));
    throw Error(ErrorKind::kInput,
                "mode " + options.mode + ": the model knows no encoder for it; use mode greedy, linear or exact");
  }
  require_sample(model, options, "price", sample);
  Matrix<double> samples = read_spread(*sample);
  to_coding_space(parts, samples.view());
  return greedy_price(parts, samples.view(), *options.nonzeros, calling_thread());
}

}  // namespace

double shift_for_nonzeros(const FittedEncoder& fitted, double tau, double wanted) {
  constexpr int kMaxDoublings = 200;
  constexpr int kBisections = 100;
  // Thresholds stop at 0, so the count has its largest value once the shift is far enough below.
  double low = 0;
  double high = 0;
  double unit = tau > 0 ? tau : 1.0;
  for (int step = 0; step < kMaxDoublings && expected_nonzeros(fitted, high) > wanted; ++step, unit *= 2) high += unit;
  unit = tau > 0 ? tau : 1.0;
  for (int step = 0; step < kMaxDoublings && expected_nonzeros(fitted, low) < wanted; ++step, unit *= 2) low -= unit;
  const double most = expected_nonzeros(fitted, low);
  if (most < wanted) too_many(wanted, most);
  for (int step = 0; step < kBisections; ++step) {
    const double middle = low + (high - low) / 2;
    (expected_nonzeros(fitted, middle) > wanted ? low : high) = middle;
  }
  return high;
}

EncodeOptions with_mode(const Model& model, EncodeOptions options) {
  constexpr std::size_t kMostAtoms = 1000;
  if (options.mode.empty() && options.max_error)
    options.mode = "omp:" + std::to_string(std::min({model.n_atoms(), model.n_features(), kMostAtoms}));
  if (options.mode.empty()) options.mode = default_mode(model);
  return options;
}

ModeSettings resolve_settings(const Model& model, const EncodeOptions& options, const DataSource* sample) {
  const ModeChoice choice = parse_mode(options.mode);
  const Mode& mode = mode_of(*choice.info);
  check(model, options, *choice.info);
  const ModelParts& parts = model.parts();
  ModeSettings settings{.mode = &mode,
                        .number = choice.number,
                        .tau = options.tau.value_or(parts.tau),
                        .eta = options.eta.value_or(parts.eta),
                        .gap = options.gap,
                        .max_error = options.max_error.value_or(0),
                        .debias = options.debias.value_or(choice.info->debiased)};
  settings.tau_shift = settings.tau - parts.tau;
  if (mode.has_levels) settings.level = find_level(model, options, mode, sample);
  if (choice.info->takes_tau && parts.penalty == Penalty::kL0 && !options.tau && !options.nonzeros)
    usage("mode " + options.mode + ": the model was learned with --penalty l0 and has no tau; give tau or nonzeros");
  if (!options.nonzeros || mode.has_levels) return settings;
  if (!choice.info->needs_sample) {
    const FittedEncoder* fitted = parts.find_encoder(choice.info->name);
    if (fitted == nullptr) return settings;  // refused where the tensors are needed
    if (fitted->quantiles.empty())
      throw Error(ErrorKind::kInput, "nonzeros " + number(*options.nonzeros) +
                                         ": the model has no quantiles for mode " + options.mode +
                                         "; give tau instead");
    settings.tau_shift = shift_for_nonzeros(*fitted, parts.tau, *options.nonzeros);
    settings.tau = std::max(0.0, parts.tau + settings.tau_shift);
    return settings;
  }
  require_sample(model, options, "tau", sample);
  settings.tau = tau_for_nonzeros(model, options, read_spread(*sample), *options.nonzeros);
  settings.tau_shift = settings.tau - parts.tau;
  return settings;
}

}  // namespace dualdict
