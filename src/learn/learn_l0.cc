// SPDX-License-Identifier: BSD-3-Clause
#include "learn/learn_l0.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "core/interrupt.h"
#include "dualdict/error.h"
#include "dualdict/version.h"
#include "learn/fit/result_size.h"
#include "learn/samples/samples.h"
#include "linalg/vectors.h"
#include "model/coding_space.h"
#include "model/fit/l0_fit.h"
#include "model/table/advice.h"
#include "model/table/encoding_table.h"
#include "solvers/greedy_codes.h"

namespace dualdict {
namespace {

// What greedy codes of all samples say.
struct Coded {
  GreedyCodeReport sum;
  std::vector<std::size_t> usage;
};

template <class T>
Coded code_all(const ModelParts& parts, const Samples<T>& samples, ThreadPool& pool) {
  GreedyProblem<T> problem;
  problem.assign(parts.dictionary, {}, parts.positive_codes, pool);
  const GreedyOptions options{.price = parts.find_encoder("greedy")->levels(0, 1)};
  std::vector<GreedyCodeReport> reports(samples.n_blocks());
  std::vector<std::vector<std::size_t>> usage(pool.size(), std::vector<std::size_t>(problem.n_atoms));
  std::vector<GreedyWorkspace<T>> workspaces(pool.size());
  pool.run(reports.size(), [&](std::size_t block, std::size_t worker) {
    Matrix<T> x = convert<T>(samples.block(block));
    add_offset(parts, -1, x.view());
    Matrix<T> codes(x.rows(), problem.n_atoms);
    reports[block] = greedy_codes<T>(problem, x, options, workspaces[worker], codes.view());
    for (std::size_t i = 0; i < codes.rows(); ++i)
      for (std::size_t k = 0; k < codes.cols(); ++k) usage[worker][k] += codes(i, k) != 0 ? 1 : 0;
  });
  Coded coded;
  coded.usage.resize(problem.n_atoms);
  for (const GreedyCodeReport& report : reports) coded.sum.add(report);
  for (const auto& mine : usage)
    for (std::size_t k = 0; k < mine.size(); ++k) coded.usage[k] += mine[k];
  return coded;
}

template <class T>
class L0Learner {
 public:
  L0Learner(const DataSource& data, const LearnOptions& options, const LearnContext& context)
      : data_(data),
        options_(options),
        context_(context),
        interrupt_(context.hooks.interrupt),
        pool_(resolve_threads(options.n_threads), &interrupt_),
        samples_(load_samples<T>(data, Transform::fit(context.preprocess, data), Random(options.seed, kOrderStream),
                                 interrupt_)) {
    summary_.reading_seconds = clock_.seconds();
    // Samples are in random order: the first ones check as well as any.
    constexpr std::size_t kFewest = 100, kShare = 5, kMost = 4000;
    const std::size_t n = samples_.n_samples();
    n_check_ = n < kFewest ? 0 : std::min(n / kShare, kMost);
  }

  LearnResult run() {
    say("learning hard codes and a dictionary for greedy codes with " + std::to_string(*options_.nonzeros) +
        " nonzeros");
    parts_.dtype = options_.dtype;
    parts_.transform = Transform::fit(context_.preprocess, data_);
    parts_.shape = data_.sample_shape();
    parts_.mean_norm = samples_.mean_norm > 0 ? samples_.mean_norm : 1.0;
    const HardFitReport report = fit_l0<T>(
        learned(), checked(),
        {options_.n_atoms, *options_.nonzeros, options_.positive_codes, static_cast<std::uint64_t>(options_.seed)},
        pool_, parts_);
    summarise(report);
    say("measuring the modes");
    measure();
    summary_.advice = advice_on(parts_.provenance.encoding, options_.n_atoms, data_.n_features(), 0);
    if (!summary_.advice.empty()) say(summary_.advice);
    return result();
  }

 private:
  MatrixView<const T> checked() const {
    return n_check_ > 0 ? samples_.x.view().row_range(0, n_check_) : samples_.x.view();
  }
  MatrixView<const T> learned() const { return samples_.x.view().row_range(n_check_, samples_.n_samples() - n_check_); }
  void say(const std::string& message) const {
    if (context_.hooks.on_message) context_.hooks.on_message(message);
  }
  void summarise(const HardFitReport& report);
  void measure();
  LearnResult result();

  const DataSource& data_;
  const LearnOptions& options_;
  const LearnContext& context_;
  Stopwatch clock_;
  Interrupt interrupt_;
  ThreadPool pool_;
  Samples<T> samples_;
  std::size_t n_check_ = 0;
  ModelParts parts_;
  LearnSummary summary_;
};

template <class T>
void L0Learner<T>::summarise(const HardFitReport& report) {
  const Coded coded = code_all(parts_, samples_, pool_);
  const auto n = static_cast<double>(samples_.n_samples());
  const double price = parts_.find_encoder("greedy")->levels(0, 1);
  summary_.outcome = report.stalled ? Outcome::kConverged : Outcome::kIterationLimit;
  summary_.n_iterations = report.n_steps;
  summary_.message = "the error of hard codes on " + std::to_string(checked().rows) + " samples " +
                     (report.stalled ? "fell no more" : "was still falling a little") + " after " +
                     std::to_string(report.n_steps) + " steps of learning W and their decoder together; D then " +
                     "passed over the samples for greedy codes; a nonzero costs " + std::to_string(price);
  if (coded.sum.nonzeros == 0) {
    summary_.outcome = Outcome::kTrivial;
    summary_.message = "every code is zero: the samples are all alike";
  }
  summary_.n_samples = samples_.n_samples();
  summary_.n_features = data_.n_features();
  const auto d = static_cast<double>(data_.n_features());
  summary_.energy.reconstruction = coded.sum.squared_error / d;
  summary_.energy.l0 = price * static_cast<double>(coded.sum.nonzeros) / d;
  summary_.nonzeros_per_code = static_cast<double>(coded.sum.nonzeros) / n;
  summary_.dead_atoms = static_cast<std::size_t>(std::count(coded.usage.begin(), coded.usage.end(), 0U));
  parts_.provenance.usage = coded.usage;
}

template <class T>
void L0Learner<T>::measure() {
  const std::size_t d = data_.n_features();
  const std::size_t n_measured = measure_samples(options_.n_atoms, d);
  Matrix<T> unseen;
  if (context_.validation != nullptr)
    unseen = read_samples<T>(*context_.validation, parts_.transform, 0,
                             std::min(n_measured, context_.validation->n_samples()));
  const MatrixView<const T> measured =
      unseen.empty() ? checked().row_range(0, std::min(n_measured, checked().rows)) : unseen.view();
  const MatrixView<const T> fit = learned().row_range(0, std::min(fit_samples(d), learned().rows));
  EncodingTable& table = parts_.provenance.encoding;
  table = measure_encoders<T>(parts_, {fit, measured}, {pool_.size(), &interrupt_, context_.hooks.progress});
  table.unseen = !unseen.empty();
  table.held_out = table.unseen || n_check_ > 0;
}

template <class T>
LearnResult L0Learner<T>::result() {
  summary_.seconds = clock_.seconds();
  summary_.given = options_;
  summary_.used = summary_.given;
  summary_.used.n_threads = pool_.size();
  Provenance& provenance = parts_.provenance;
  provenance.version = DUALDICT_VERSION;
  provenance.data_name = data_.name();
  provenance.data_fingerprint = samples_.fingerprint;
  provenance.summary = summary_;
  return LearnResult{Model(std::move(parts_)), std::move(summary_)};
}

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw Error(ErrorKind::kUsage, option + ": is not allowed with --penalty l0 yet: " + why);
}

}  // namespace

void check_l0(const LearnContext& context) {
  if (!context.checkpoint.path.empty()) refuse("--checkpoint", "its learning takes seconds and is not taken up again");
  if (context.communicator != nullptr && context.communicator->size() > 1)
    refuse("mpirun", "it learns in one process; draw a part of the samples that fits there");
}

void require_l1(const LearnOptions& options) {
  if (options.penalty == Penalty::kL1) return;
  throw Error(ErrorKind::kUsage,
              "--penalty: l0 is not allowed when samples come in blocks or as a stream yet: draw some into memory");
}

LearnResult learn_l0(const DataSource& data, const LearnOptions& options, const LearnContext& context) {
  try {
    if (options.dtype == DType::kFloat64) return L0Learner<double>(data, options, context).run();
    return L0Learner<float>(data, options, context).run();
  } catch (const Interrupted&) {
    throw Error(ErrorKind::kUsage, "interrupted before D was learned: there is nothing to save");
  }
}

}  // namespace dualdict
