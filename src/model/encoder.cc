// SPDX-License-Identifier: BSD-3-Clause
// Runs a mode over batches: preprocessing, precision, blocks, threads.
#include "dualdict/encode.h"

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
#include "linalg/vectors.h"
#include "model/coding_space.h"
#include "model/modes/encode_settings.h"
#include "model/row_decoder.h"

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

}  // namespace

struct Encoder::Engine {
  Model model;
  std::string mode;
  ModeSettings settings;
  std::size_t n_threads;

  Engine(const Model& model_in, const std::string& mode_in, const ModeSettings& settings_in, std::size_t n_threads_in)
      : model(model_in), mode(mode_in), settings(settings_in), n_threads(resolve_threads(n_threads_in)) {}
  virtual ~Engine() = default;
  static std::unique_ptr<Engine> make(const Model& model, const std::string& mode, const ModeSettings& settings,
                                      std::size_t n_threads);
  virtual void encode(MatrixView<const float> samples, MatrixView<float> codes) const = 0;
  virtual void encode(MatrixView<const double> samples, MatrixView<double> codes) const = 0;
  virtual void decode(MatrixView<const float> codes, MatrixView<float> samples) const = 0;
  virtual void decode(MatrixView<const double> codes, MatrixView<double> samples) const = 0;
  virtual void score(MatrixView<const float> samples, std::span<double> errors, bool relative) const = 0;
  virtual void score(MatrixView<const double> samples, std::span<double> errors, bool relative) const = 0;
};

// Works in the precision of the model, whatever the caller's. May be called from many threads at once: each call takes
// its workspaces from a guarded store. The threads of the engine serve one call at a time; a call that finds them taken
// works alone, in its own thread.
template <class T>
struct Encoder::EngineOf final : Encoder::Engine {
  EngineOf(const Model& model_in, const std::string& mode_in, const ModeSettings& settings_in, std::size_t n_threads_in)
      : Engine(model_in, mode_in, settings_in, n_threads_in),
        block_encoder_(make_block_encoder<T>(model.parts(), settings)),
        identity_(codes_as_is(model.parts())) {}

  void encode(MatrixView<const float> samples, MatrixView<float> codes) const override { run(samples, codes); }
  void encode(MatrixView<const double> samples, MatrixView<double> codes) const override { run(samples, codes); }
  void decode(MatrixView<const float> codes, MatrixView<float> samples) const override {
    decoder().decode(codes, samples);
  }
  void decode(MatrixView<const double> codes, MatrixView<double> samples) const override {
    decoder().decode(codes, samples);
  }
  void score(MatrixView<const float> samples, std::span<double> errors, bool relative) const override {
    run_score(samples, errors, relative);
  }
  void score(MatrixView<const double> samples, std::span<double> errors, bool relative) const override {
    run_score(samples, errors, relative);
  }

 private:
  // Packed when it is first asked for: many encoders only encode.
  const RowDecoder<T>& decoder() const {
    std::call_once(decoder_made_, [this] {
      const DecodeWith with = settings.debias ? DecodeWith::kDictionary : DecodeWith::kModeDecoder;
      decoder_ = std::make_unique<RowDecoder<T>>(model, decoder_of(model.parts(), mode, with));
    });
    return *decoder_;
  }

  template <class S>
  void run(MatrixView<const S> samples, MatrixView<S> codes) const {
    check_features(samples.cols);
    check_codes(samples.rows, codes.rows, codes.cols);
    run_all(samples, [&](std::size_t first, MatrixView<const S> rows, EncodeWorkspace<T>& work) {
      return encode_block(rows, work, codes.row_range(first, rows.rows));
    });
  }

  template <class S>
  void run_score(MatrixView<const S> samples, std::span<double> errors, bool relative) const {
    check_features(samples.cols);
    if (errors.size() != samples.rows)
      throw Error(ErrorKind::kUsage, "errors: room for " + std::to_string(errors.size()) + " numbers, but there are " +
                                         std::to_string(samples.rows) + " samples");
    run_all(samples, [&](std::size_t first, MatrixView<const S> rows, EncodeWorkspace<T>& work) {
      return score_block(rows, work, errors.subspan(first, rows.rows), relative);
    });
  }

  // `work_on(first, rows, workspace)` returns false when a sample or a code is not finite; then this throws.
  template <class S, class WorkOn>
  void run_all(MatrixView<const S> samples, const WorkOn& work_on) const {
    std::atomic<bool> finite = true;
    run_blocks((samples.rows + kBlockSamples - 1) / kBlockSamples, [&](std::size_t block, EncodeWorkspace<T>& work) {
      const std::size_t first = block * kBlockSamples;
      const std::size_t n = std::min(kBlockSamples, samples.rows - first);
      if (!work_on(first, samples.row_range(first, n), work)) finite = false;
    });
    if (finite) return;
    require_finite(samples, "samples");
    throw Error(ErrorKind::kNumerical, "samples: the codes leave the range of " + std::string(kPrecision) +
                                           ", the model's precision; scale the samples down");
  }

  // The rows as the mode takes them: themselves, or a copy in the workspace. Empty when one is not finite.
  template <class S>
  MatrixView<const T> prepare(MatrixView<const S> samples, EncodeWorkspace<T>& work) const {
    if constexpr (std::is_same_v<S, T>) {
      if (identity_) return samples;
    }
    const MatrixView<T> copy = buffer_rows(work.samples, samples.rows, samples.cols);
    for (std::size_t i = 0; i < copy.rows; ++i)
      for (std::size_t j = 0; j < copy.cols; ++j) copy(i, j) = static_cast<T>(samples(i, j));
    if (!rows_are_finite<T>(copy)) return {};
    if (!identity_) to_coding_space(model.parts(), copy);
    return copy;
  }

  // Codes of prepared rows; false when one is not finite.
  bool encode_prepared(MatrixView<const T> x, EncodeWorkspace<T>& work, MatrixView<T> codes) const {
    const T largest = largest_element<T>(x);
    if (!std::isfinite(largest)) return false;
    block_encoder_->encode(x, work, codes);
    // Far from the limit, which leaves room for thresholds and their growth, there is nothing to look for.
    const double far = std::sqrt(static_cast<double>(std::numeric_limits<T>::max()));
    return static_cast<double>(largest) * block_encoder_->largest_gain() < far || rows_are_finite<T>(codes);
  }

  template <class S>
  bool encode_block(MatrixView<const S> samples, EncodeWorkspace<T>& work, MatrixView<S> codes) const {
    const MatrixView<const T> x = prepare(samples, work);
    if (x.data == nullptr) return false;
    if constexpr (std::is_same_v<S, T>) {
      return encode_prepared(x, work, codes);
    } else {
      const MatrixView<T> out = buffer_rows(work.codes, codes.rows, codes.cols);
      if (!encode_prepared(x, work, out)) return false;
      for (std::size_t i = 0; i < out.rows; ++i)
        for (std::size_t j = 0; j < out.cols; ++j) codes(i, j) = static_cast<S>(out(i, j));
      return rows_are_finite<S>(codes);
    }
  }

  // The codes know nothing of what preprocessing took away: the error is that of the preprocessed sample.
  template <class S>
  bool score_block(MatrixView<const S> samples, EncodeWorkspace<T>& work, std::span<double> errors,
                   bool relative) const {
    const MatrixView<const T> x = prepare(samples, work);
    if (x.data == nullptr) return false;
    const MatrixView<T> codes = buffer_rows(work.codes, x.rows, model.n_atoms());
    if (!encode_prepared(x, work, codes)) return false;
    const MatrixView<T> rest = buffer_rows(work.decoded, x.rows, x.cols);
    for (std::size_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, rest.row(i));
    decoder().subtract(codes, rest);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double error = norm(rest.row(i), rest.cols);
      const double scale = relative ? length_before_offset(x.row(i)) : 1.0;
      errors[i] = scale > 0 ? error / scale : 0.0;
      if (!std::isfinite(error)) return false;
    }
    return true;
  }

  double length_before_offset(const T* x) const {
    const std::vector<double>& offset = model.parts().offset;
    if (offset.empty()) return norm(x, model.n_features());
    double squared = 0;
    for (std::size_t f = 0; f < offset.size(); ++f) squared += std::pow(static_cast<double>(x[f]) + offset[f], 2);
    return std::sqrt(squared);
  }

  template <class Work>
  void run_blocks(std::size_t n_blocks, const Work& work) const {
    std::unique_lock<std::mutex> taken(pool_mutex_, std::defer_lock);
    if (n_threads > 1 && n_blocks > 1 && taken.try_lock()) {
      if (!pool_) pool_ = std::make_unique<ThreadPool>(n_threads);
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

  void check_features(std::size_t d) const {
    if (d != model.n_features())
      throw Error(ErrorKind::kInput, "samples: " + std::to_string(d) + " features, but the model has " +
                                         std::to_string(model.n_features()));
  }
  void check_codes(std::size_t n, std::size_t n_codes, std::size_t n_atoms) const {
    if (n_codes != n || n_atoms != model.n_atoms())
      throw Error(ErrorKind::kInput, "codes: " + std::to_string(n_codes) + " x " + std::to_string(n_atoms) +
                                         ", but the codes of these samples are " + std::to_string(n) + " x " +
                                         std::to_string(model.n_atoms()));
  }

  static constexpr std::string_view kPrecision = sizeof(T) == 4 ? "float32" : "float64";

  std::unique_ptr<BlockEncoder<T>> block_encoder_;
  mutable std::once_flag decoder_made_;
  mutable std::unique_ptr<RowDecoder<T>> decoder_;
  bool identity_;
  mutable WorkspaceStore<T> store_;
  mutable std::mutex pool_mutex_;
  mutable std::unique_ptr<ThreadPool> pool_;
};

std::unique_ptr<Encoder::Engine> Encoder::Engine::make(const Model& model, const std::string& mode,
                                                       const ModeSettings& settings, std::size_t n_threads) {
  if (model.dtype() == DType::kFloat32) return std::make_unique<EngineOf<float>>(model, mode, settings, n_threads);
  return std::make_unique<EngineOf<double>>(model, mode, settings, n_threads);
}

Encoder::Encoder(const Model& model, const EncodeOptions& options, const DataSource* sample) {
  const EncodeOptions chosen = with_mode(model, options);
  engine_ = Engine::make(model, chosen.mode, resolve_settings(model, chosen, sample), chosen.n_threads);
}
Encoder::Encoder(const Encoder& other)
    : engine_(Engine::make(other.model(), other.mode(), other.engine_->settings, other.n_threads())) {}

Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;

const Model& Encoder::model() const {
  return engine_->model;
}
std::size_t Encoder::n_features() const {
  return engine_->model.n_features();
}
std::size_t Encoder::n_atoms() const {
  return engine_->model.n_atoms();
}
std::size_t Encoder::n_threads() const {
  return engine_->n_threads;
}
const std::string& Encoder::mode() const {
  return engine_->mode;
}
double Encoder::tau() const {
  return engine_->settings.tau;
}

double Encoder::level() const {
  return engine_->settings.level;
}

void Encoder::encode(MatrixView<const float> samples, MatrixView<float> codes) const {
  engine_->encode(samples, codes);
}
void Encoder::encode(MatrixView<const double> samples, MatrixView<double> codes) const {
  engine_->encode(samples, codes);
}
void Encoder::decode(MatrixView<const float> codes, MatrixView<float> samples) const {
  engine_->decode(codes, samples);
}
void Encoder::decode(MatrixView<const double> codes, MatrixView<double> samples) const {
  engine_->decode(codes, samples);
}
void Encoder::score(MatrixView<const float> samples, std::span<double> errors, bool relative) const {
  engine_->score(samples, errors, relative);
}
void Encoder::score(MatrixView<const double> samples, std::span<double> errors, bool relative) const {
  engine_->score(samples, errors, relative);
}

}  // namespace dualdict
