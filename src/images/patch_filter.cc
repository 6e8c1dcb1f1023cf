// SPDX-License-Identifier: BSD-3-Clause
#include "images/patch_filter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "data/patch_source.h"

namespace dualdict {
namespace {

constexpr std::size_t kBandRows = 8;        // rows of patches that are a task
constexpr std::size_t kBandsTogether = 16;  // whose sums are held before they are joined
constexpr std::size_t kMostChannels = 3;

// What a thread needs for a block of patches.
struct FilterWork {
  Matrix<float> noisy;
  Matrix<float> pilot;
  std::vector<std::array<float, kMostChannels>> means;
  std::vector<float> weights;
  std::any own;
};

class PatchPass {
 public:
  PatchPass(const Image& noisy, const PatchFilter& filter, const FilterPass& pass)
      : noisy_(noisy),
        filter_(filter),
        pass_(pass),
        places_(noisy.height(), noisy.width(), pass.size),
        shape_{pass.size.height, pass.size.width, noisy.channels} {}

  std::size_t n_bands() const { return (places_.rows() + kBandRows - 1) / kBandRows; }
  std::size_t first_row(std::size_t band) const { return places_[band * kBandRows * places_.columns()].y; }

  PatchSum run_band(std::size_t band, FilterWork& work) const {
    const std::size_t first = band * kBandRows * places_.columns();
    const std::size_t last = std::min(first + kBandRows * places_.columns(), places_.count());
    const std::size_t top = first_row(band);
    PatchSum sum(places_[last - 1].y + shape_.height - top, noisy_.width(), noisy_.channels);
    for (std::size_t at = first; at < last; at += kFilterRows)
      run_block(at, std::min(kFilterRows, last - at), top, work, sum);
    return sum;
  }

 private:
  std::size_t n_features() const { return shape_.height * shape_.width * shape_.channels; }

  void run_block(std::size_t first, std::size_t n, std::size_t top, FilterWork& work, PatchSum& sum) const {
    const std::size_t d = n_features();
    if (work.noisy.empty()) {
      work.noisy = Matrix<float>(kFilterRows, d);
      work.pilot = Matrix<float>(kFilterRows, d);
      work.means.resize(kFilterRows);
      work.weights.resize(kFilterRows);
    }
    std::array<float, kMostChannels> unused{};
    for (std::size_t i = 0; i < n; ++i) {
      const PatchPosition at = places_[first + i];
      cut_patch(noisy_, at.y, at.x, shape_, work.noisy.row(i));
      remove_channel_means(work.noisy.row(i), d, shape_.channels, work.means[i].data());
      if (pass_.pilot == nullptr) continue;
      cut_patch(*pass_.pilot, at.y, at.x, shape_, work.pilot.row(i));
      remove_channel_means(work.pilot.row(i), d, shape_.channels, unused.data());
    }
    filter_.apply(work.noisy.view().row_range(0, n), work.pilot.view().row_range(0, n),
                  std::span(work.weights).first(n), work.own);
    for (std::size_t i = 0; i < n; ++i) {
      float* const patch = work.noisy.row(i);
      for (std::size_t f = 0; f < d; f += shape_.channels)
        for (std::size_t c = 0; c < shape_.channels; ++c) patch[f + c] += work.means[i][c];
      PatchPosition at = places_[first + i];
      at.y -= top;
      sum.add(patch, at, pass_.size, work.weights[i]);
    }
  }

  const Image& noisy_;
  const PatchFilter& filter_;
  const FilterPass& pass_;
  PatchPlaces places_;
  SampleShape shape_;
};

}  // namespace

void remove_channel_means(float* patch, std::size_t n_features, std::size_t channels, float* means) {
  std::fill_n(means, channels, 0.0F);
  for (std::size_t f = 0; f < n_features; f += channels)
    for (std::size_t c = 0; c < channels; ++c) means[c] += patch[f + c];
  for (std::size_t c = 0; c < channels; ++c) means[c] *= static_cast<float>(channels) / static_cast<float>(n_features);
  for (std::size_t f = 0; f < n_features; f += channels)
    for (std::size_t c = 0; c < channels; ++c) patch[f + c] -= means[c];
}

Image filter_patches(const Image& noisy, const PatchFilter& filter, const FilterPass& pass, ThreadPool& pool) {
  const PatchPass work(noisy, filter, pass);
  PatchSum total(noisy.height(), noisy.width(), noisy.channels);
  std::vector<FilterWork> workspaces(pool.size());
  std::vector<PatchSum> parts;
  for (std::size_t first = 0; first < work.n_bands(); first += kBandsTogether) {
    const std::size_t n = std::min(kBandsTogether, work.n_bands() - first);
    parts.assign(n, PatchSum(0, 0, 1));
    pool.run(n, [&](std::size_t band, std::size_t worker) {
      parts[band] = work.run_band(first + band, workspaces[worker]);
    });
    for (std::size_t band = 0; band < n; ++band) total.add(parts[band], work.first_row(first + band));
    if (pass.on_progress) pass.on_progress(static_cast<double>(first + n) / static_cast<double>(work.n_bands()));
  }
  return total.average(noisy);
}

}  // namespace dualdict
