// SPDX-License-Identifier: BSD-3-Clause
#include "learn/fit/stream_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/finite.h"
#include "core/hash.h"
#include "dualdict/error.h"
#include "learn/fit/warm_up.h"
#include "linalg/vectors.h"

namespace dualdict {
namespace {

[[noreturn]] void refuse_stream(const SampleStream& stream) {
  throw Error(ErrorKind::kInput,
              stream.name() +
                  ": is not the stream that the checkpoint was written for: it begins with other samples, or "
                  "is shorter; give the same one from its beginning, or remove the checkpoint to start again");
}

}  // namespace

template <class T>
StreamFit<T>::StreamFit(SampleStream& stream, const Transform& transform, std::size_t n_passes, Control& control,
                        ThreadPool& pool)
    : stream_(stream),
      transform_(transform),
      n_passes_(n_passes),
      control_(control),
      share_(stream, step_samples(control.options().n_atoms), control.ranks().rank(), control.ranks().size()),
      steps_(control, pool),
      piece_samples_(step_samples(control.options().n_atoms)) {
  piece_.ranks = &control.ranks();
  if (piece_.alone()) return;
  piece_.shard.total = piece_samples_;
  piece_.shard.first = share_.first();
}

template <class T>
void StreamFit<T>::begin(FitState& state) {
  StreamPosition& position = state.stream;
  const bool l1 = control_.options().penalty == Penalty::kL1;
  if (l1 && n_passes_ > 1 && position.n_samples == 0 && stream_.n_samples())
    plan_chapters(*stream_.n_samples(), stream_.n_features(), control_.options().n_atoms, position.chapters);
  if (position.n_samples > 0) {
    go_on(position);
    if (position.pass > 0) steps_.begin_pass(state);
  }
  control_.say("pass " + std::to_string(position.pass + 1) + " over " + stream_.name());
  if (!reader_) open_reader();
}

template <class T>
void StreamFit<T>::go_on(const StreamPosition& position) {
  open_reader();
  read_piece();
  if (control_.ranks().sum_bits(fingerprint()) != position.fingerprint) refuse_stream(stream_);
  std::size_t done = std::min(position.n_read, piece_samples_);
  // A pipe is read up to there; else one goes there.
  if (!stream_.n_samples()) {
    for (; done < position.n_read && read_piece(); done += piece_.n_all()) control_.interrupt().throw_if_due();
  } else {
    reader_.reset();
    share_.rewind();
    done = share_.skip(position.n_read);
  }
  if (done < position.n_read) refuse_stream(stream_);
}

template <class T>
void StreamFit<T>::open_reader() {
  reader_ = std::make_unique<BlockReader<T>>(share_, transform_, std::max<std::size_t>(1, share_.size()));
}

template <class T>
bool StreamFit<T>::read_piece() {
  // Ranks end together, after a step.
  const bool alone = piece_.alone();
  const auto give_up = [&] { return alone && (control_.should_pause() || control_.is_late()); };
  control_.ranks().attempt([&] {
    piece_.x = share_.size() > 0 ? reader_->next(give_up) : Matrix<T>();
    if (piece_.x.empty() && !reader_->cut().empty() && !alone) throw Error(ErrorKind::kInput, reader_->cut());
  });
  if (piece_.x.empty()) piece_.x = Matrix<T>(0, stream_.n_features());
  const std::size_t n = piece_.n_samples();
  piece_.squared = 0;
  for (std::size_t i = 0; i < n; ++i) piece_.squared += squared_norm(piece_.x.row(i), piece_.n_features());
  double n_all = static_cast<double>(n);
  control_.ranks().sum(std::span(&n_all, 1));
  if (!alone) {
    piece_.places.resize(n);
    std::iota(piece_.places.begin(), piece_.places.end(), share_.first());
  }
  return n_all > 0;
}

template <class T>
std::uint64_t StreamFit<T>::fingerprint() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < piece_.n_samples(); ++i)
    sum += mix64(hash64(piece_.x.row(i), piece_.n_features() * sizeof(T)) ^ mix64(share_.first() + i));
  return sum;
}

template <class T>
void StreamFit<T>::remember_first(FitState& state) {
  const double n = static_cast<double>(std::max<std::size_t>(1, piece_.n_samples()));
  control_.ranks().attempt([&] { require_range<T>(std::sqrt(piece_.squared / n), stream_.name()); });
  state.stream.fingerprint = control_.ranks().sum_bits(fingerprint());
}

template <class T>
bool StreamFit<T>::advance(FitState& state, LearnSummary& summary) {
  if (steps_.is_busy(state)) {
    steps_.work(state);
    return true;
  }
  if (!read_piece()) {
    // Given up: what asked for it is acted on by the caller.
    if (piece_.alone() && (control_.should_pause() || control_.is_late())) return true;
    return reader_->cut().empty() ? next_pass(state, summary) : end_cut(state, summary);
  }
  if (state.stream.n_samples == 0) remember_first(state);
  steps_.step(state, piece_);
  if (!steps_.wishes_stop()) return true;
  summary.outcome = Outcome::kStopped;
  summary.message = "stopped by the caller";
  return false;
}

// What was read is learned, and the caller told.
template <class T>
bool StreamFit<T>::end_cut(FitState& state, LearnSummary& summary) {
  input_error_ = reader_->cut();
  if (state.stream.n_samples == 0) throw Error(ErrorKind::kInput, input_error_);
  if (steps_.end_collecting(state)) return true;
  steps_.end_pass(state);
  summary.outcome = Outcome::kStopped;
  summary.message = "the stream ended before it should";
  return false;
}

template <class T>
bool StreamFit<T>::next_pass(FitState& state, LearnSummary& summary) {
  StreamPosition& position = state.stream;
  if (position.n_samples == 0) throw Error(ErrorKind::kInput, stream_.name() + ": holds no sample");
  if (steps_.end_collecting(state)) return true;
  steps_.end_pass(state);
  summary.outcome = Outcome::kIterationLimit;
  reader_.reset();
  if (position.pass + 1 >= n_passes_) return false;
  // Sums of penalty l0 fade in every pass.
  const bool can_replace = position.chapters.length > 0 || control_.options().penalty == Penalty::kL0;
  if (!can_replace || !share_.rewind()) {
    control_.say(stream_.name() + " can be read once only: there is no pass " + std::to_string(position.pass + 2));
    return false;
  }
  ++position.pass;
  position.n_read = 0;
  steps_.begin_pass(state);
  control_.say("pass " + std::to_string(position.pass + 1) + " over " + stream_.name());
  open_reader();
  return true;
}

std::vector<double> stream_means(SampleStream& stream, double scale, Control& control) {
  constexpr std::size_t kBlock = 4096;
  RankShare share(stream, kBlock, control.ranks().rank(), control.ranks().size());
  const std::size_t d = stream.n_features();
  std::vector<double> sums(d + 1);  // and the number of samples
  control.say("a first pass over " + stream.name() + " for the means of its features");
  control.ranks().attempt([&] {
    Matrix<double> block(std::max<std::size_t>(1, share.size()), d);
    while (const std::size_t n = share.size() > 0 ? share.read(block.view()) : 0) {
      const MatrixView<const double> rows = block.view().row_range(0, n);
      require_finite(rows, stream.name(), static_cast<std::size_t>(sums[d]));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j) sums[j] += rows(i, j);
      sums[d] += static_cast<double>(n);
      control.interrupt().throw_if_due();
    }
    if (!share.rewind())
      throw Error(ErrorKind::kUsage, stream.name() +
                                         ": center_features is not allowed for samples that can be read once "
                                         "only: their mean is known at the end; write them to a file, or "
                                         "use center_samples");
  });
  control.ranks().sum(sums);
  if (sums[d] == 0) throw Error(ErrorKind::kInput, stream.name() + ": holds no sample");
  std::vector<double> means(sums.begin(), sums.end() - 1);
  for (double& mean : means) mean /= sums[d] * scale;
  return means;
}

template class StreamFit<float>;
template class StreamFit<double>;

}  // namespace dualdict
