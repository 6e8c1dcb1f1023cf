// SPDX-License-Identifier: BSD-3-Clause
#include "model/encoder_engine.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/finite.h"
#include "core/thread_pool.h"
#include "dualdict/error.h"
#include "linalg/kernels/kernels.h"

namespace dualdict {
namespace {

// Infinite or NaN when an element is.
template <class T>
T largest_element(MatrixView<const T> rows) {
  const Kernels<T>& kernel = kernels<T>();
  T largest = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const T here = kernel.largest_magnitude(rows.row(i), rows.cols);
    if (!(here <= largest)) largest = here;
    if (!std::isfinite(here)) break;
  }
  return largest;
}
template <class T>
bool rows_are_finite(MatrixView<const T> rows) {
  return std::isfinite(largest_element(rows));
}

// Workspaces that are kept for the next call.
template <class T>
class WorkspaceStore {
 public:
  std::unique_ptr<EncodeWorkspace<T>> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto workspace = std::move(free_.back());
        free_.pop_back();
        return workspace;
      }
    }
    return std::make_unique<EncodeWorkspace<T>>();
  }
  void give_back(std::unique_ptr<EncodeWorkspace<T>> workspace) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<EncodeWorkspace<T>>> free_;
};

template <class T>
class Engine final : public EncoderEngine {
 public:
  Engine(const Model& model, const ModeSettings& settings, std::size_t n_threads)
      : model_(model),
        mode_(make_block_encoder<T>(model.parts(), settings)),
        n_threads_(resolve_threads(n_threads)),
        identity_(model.parts().transform.is_identity()) {}

  void encode(MatrixView<const float> samples, MatrixView<float> codes) const override { run(samples, codes); }
  void encode(MatrixView<const double> samples, MatrixView<double> codes) const override { run(samples, codes); }

 private:
  template <class S>
  void run(MatrixView<const S> samples, MatrixView<S> codes) const {
    check_shapes(samples.rows, samples.cols, codes.rows, codes.cols);
    std::atomic<bool> finite = true;
    run_blocks((samples.rows + kBlockSamples - 1) / kBlockSamples, [&](std::size_t block, EncodeWorkspace<T>& work) {
      const std::size_t first = block * kBlockSamples;
      const std::size_t n = std::min(kBlockSamples, samples.rows - first);
      if (!encode_block(samples.row_range(first, n), work, codes.row_range(first, n))) finite = false;
    });
    if (finite) return;
    require_finite(samples, "samples");
    throw Error(ErrorKind::kNumerical, "samples: the codes leave the range of " + std::string(kPrecision) +
                                           ", the model's precision; scale the samples down");
  }

  // False when a sample or a code is not finite; the caller then looks for the words.
  template <class S>
  bool encode_block(MatrixView<const S> samples, EncodeWorkspace<T>& work, MatrixView<S> codes) const {
    MatrixView<const T> x;
    if constexpr (std::is_same_v<S, T>) {
      if (identity_) x = samples;
    }
    if (x.data == nullptr) {
      if (work.samples.cols() != samples.cols) work.samples = Matrix<T>(kBlockSamples, samples.cols);
      const MatrixView<T> copy = work.samples.view().row_range(0, samples.rows);
      for (std::size_t i = 0; i < copy.rows; ++i)
        for (std::size_t j = 0; j < copy.cols; ++j) copy(i, j) = static_cast<T>(samples(i, j));
      if (!rows_are_finite<T>(copy)) return false;
      if (!identity_) model_.parts().transform.apply(copy);
      x = copy;
    }
    const T largest = largest_element<T>(x);
    if (!std::isfinite(largest)) return false;
    if constexpr (std::is_same_v<S, T>) {
      mode_->encode(x, work, codes);
      // Far from the limit, which leaves room for thresholds and their growth, there is nothing to look for.
      const double far = std::sqrt(static_cast<double>(std::numeric_limits<T>::max()));
      return static_cast<double>(largest) * mode_->largest_gain() < far || rows_are_finite<T>(codes);
    } else {
      if (work.codes.cols() != codes.cols) work.codes = Matrix<T>(kBlockSamples, codes.cols);
      const MatrixView<T> out = work.codes.view().row_range(0, codes.rows);
      mode_->encode(x, work, out);
      for (std::size_t i = 0; i < out.rows; ++i)
        for (std::size_t j = 0; j < out.cols; ++j) codes(i, j) = static_cast<S>(out(i, j));
      return rows_are_finite<S>(codes);
    }
  }

  template <class Work>
  void run_blocks(std::size_t n_blocks, const Work& work) const {
    std::unique_lock<std::mutex> taken(pool_mutex_, std::defer_lock);
    if (n_threads_ > 1 && n_blocks > 1 && taken.try_lock()) {
      if (!pool_) pool_ = std::make_unique<ThreadPool>(n_threads_);
      std::vector<std::unique_ptr<EncodeWorkspace<T>>> workspaces(pool_->size());
      for (auto& workspace : workspaces) workspace = store_.take();
      pool_->run(n_blocks, [&](std::size_t block, std::size_t worker) { work(block, *workspaces[worker]); });
      for (auto& workspace : workspaces) store_.give_back(std::move(workspace));
      return;
    }
    auto workspace = store_.take();
    for (std::size_t block = 0; block < n_blocks; ++block) work(block, *workspace);
    store_.give_back(std::move(workspace));
  }

  void check_shapes(std::size_t n, std::size_t d, std::size_t n_codes, std::size_t n_atoms) const {
    if (d != model_.n_features())
      throw Error(ErrorKind::kInput, "samples: " + std::to_string(d) + " features, but the model has " +
                                         std::to_string(model_.n_features()));
    if (n_codes != n || n_atoms != model_.n_atoms())
      throw Error(ErrorKind::kInput, "codes: " + std::to_string(n_codes) + " x " + std::to_string(n_atoms) +
                                         ", but the codes of these samples are " + std::to_string(n) + " x " +
                                         std::to_string(model_.n_atoms()));
  }

  static constexpr std::string_view kPrecision = sizeof(T) == 4 ? "float32" : "float64";

  Model model_;
  std::unique_ptr<BlockEncoder<T>> mode_;
  std::size_t n_threads_;
  bool identity_;
  mutable WorkspaceStore<T> store_;
  mutable std::mutex pool_mutex_;
  mutable std::unique_ptr<ThreadPool> pool_;
};

}  // namespace

std::unique_ptr<EncoderEngine> make_engine(const Model& model, const ModeSettings& settings, std::size_t n_threads) {
  if (model.dtype() == DType::kFloat32) return std::make_unique<Engine<float>>(model, settings, n_threads);
  return std::make_unique<Engine<double>>(model, settings, n_threads);
}

}  // namespace dualdict
