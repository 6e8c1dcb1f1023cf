// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "dualdict/error.h"
#include "dualdict/online.h"
#include "learn/online_file.h"
#include "learn/online_state.h"

namespace dualdict {
namespace {

// Some rows of a source, as a source.
class RowsOf final : public DataSource {
 public:
  RowsOf(const DataSource& all, std::size_t first, std::size_t count) : all_(all), first_(first), count_(count) {}
  std::size_t n_samples() const override { return count_; }
  std::size_t n_features() const override { return all_.n_features(); }
  ElementType element_type() const override { return all_.element_type(); }
  SampleShape sample_shape() const override { return all_.sample_shape(); }
  std::string name() const override { return all_.name(); }
  void read(std::size_t first, MatrixView<float> out) const override { all_.read(first_ + first, out); }
  void read(std::size_t first, MatrixView<double> out) const override { all_.read(first_ + first, out); }

 private:
  const DataSource& all_;
  std::size_t first_;
  std::size_t count_;
};

template <class T>
void work_through(OnlineState& state, const DataSource& block) {
  ThreadPool pool(resolve_threads(state.options.n_threads));
  const Transform transform(state.preprocess, {});
  const std::size_t piece = online_piece(block.n_features());
  for (std::size_t first = 0; first < block.n_samples(); first += piece) {
    const RowsOf rows(block, first, std::min(piece, block.n_samples() - first));
    online_step(state, load_samples<T>(rows, transform, Random(state.options.seed, 2), Interrupt(nullptr)), pool);
  }
}

void check_block(const OnlineState& state, const DataSource& block) {
  if (block.n_samples() == 0) throw Error(ErrorKind::kInput, block.name() + ": 0 samples; a block has at least 1");
  const Matrix<double>& known = state.dictionary.empty() ? state.options.initial_dictionary : state.dictionary;
  if (!known.empty() && known.cols() != block.n_features())
    throw Error(ErrorKind::kInput, block.name() + ": " + std::to_string(block.n_features()) +
                                       " features, but the learner has " + std::to_string(known.cols()));
}

}  // namespace

void check_online(const LearnOptions& options, const PreprocessOptions& preprocess) {
  validate(options);
  if (preprocess.center_features)
    throw Error(ErrorKind::kUsage,
                "center_features: is not allowed when samples come in blocks: the mean of all is not known; subtract a "
                "mean before, or center_samples");
  static_cast<void>(Transform(preprocess, {}));  // refuses a bad scale
}

struct OnlineLearner::Impl {
  OnlineState state;
};

OnlineLearner::OnlineLearner(const LearnOptions& options, const PreprocessOptions& preprocess)
    : impl_(std::make_unique<Impl>()) {
  check_online(options, preprocess);
  impl_->state.options = options;
  impl_->state.preprocess = preprocess;
}
OnlineLearner::OnlineLearner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
OnlineLearner::~OnlineLearner() = default;
OnlineLearner::OnlineLearner(OnlineLearner&&) noexcept = default;
OnlineLearner& OnlineLearner::operator=(OnlineLearner&&) noexcept = default;

void OnlineLearner::update(const DataSource& block) {
  check_block(impl_->state, block);
  OnlineState next = impl_->state;
  if (next.options.dtype == DType::kFloat32)
    work_through<float>(next, block);
  else
    work_through<double>(next, block);
  impl_->state = std::move(next);
}

std::size_t OnlineLearner::n_samples() const {
  return impl_->state.n_samples;
}
std::size_t OnlineLearner::n_updates() const {
  return impl_->state.n_updates;
}
double OnlineLearner::tau() const {
  return impl_->state.objective.tau;
}
DType OnlineLearner::dtype() const {
  return impl_->state.options.dtype;
}
const Matrix<double>& OnlineLearner::codes_by_codes() const {
  return impl_->state.moments.uu;
}
const Matrix<double>& OnlineLearner::codes_by_samples() const {
  return impl_->state.moments.ux;
}
const Matrix<double>& OnlineLearner::samples_by_samples() const {
  return impl_->state.moments.xx;
}
const Matrix<double>& OnlineLearner::dictionary() const {
  return impl_->state.dictionary;
}
const Matrix<double>& OnlineLearner::dual() const {
  return impl_->state.dual;
}

LearnResult OnlineLearner::result() const {
  const OnlineState& state = impl_->state;
  if (state.n_updates == 0)
    throw Error(ErrorKind::kUsage, "the learner has seen no samples: update it with a block first");
  ThreadPool pool(resolve_threads(state.options.n_threads));
  return state.options.dtype == DType::kFloat32 ? online_result<float>(state, pool)
                                                : online_result<double>(state, pool);
}

std::string OnlineLearner::to_bytes() const {
  return online_bytes(impl_->state);
}

OnlineLearner OnlineLearner::from_bytes(std::string_view bytes) {
  auto impl = std::make_unique<Impl>();
  impl->state = online_from_bytes(bytes);
  return OnlineLearner(std::move(impl));
}

}  // namespace dualdict
